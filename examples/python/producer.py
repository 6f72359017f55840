"""Sends one request to Inferlake as a gateway would: received, first_token, finished.

    pip install confluent-kafka
    python producer.py localhost:9092
"""
import json, sys, time, uuid
from confluent_kafka import Producer

kafka = Producer({"bootstrap.servers": sys.argv[1]})
boot, request_id = uuid.uuid4().hex, uuid.uuid4().hex

phases = [dict(phase="received", model="llama-3-8b", prompt_tokens=12), dict(phase="first_token"),
          dict(phase="finished", outcome="ok", finish_reason="stop", http_status=200, output_tokens=34)]
for seq, request in enumerate(phases):
    event = dict(producer="example", boot=boot, lane=0, seq=seq, source="gateway", instance="example", role="gateway",
                 time_unix_nano=time.time_ns(), request=dict(request, request_id=request_id))
    kafka.produce("inferlake.requests", json.dumps(event), key="example/0", headers={"content-type": "application/json"})
    time.sleep(0.1)
sys.exit(kafka.flush(10) and "not all events were delivered within 10 s")
