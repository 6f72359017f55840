package replay

import "testing"

func TestMooncakeRows(t *testing.T) {
	rows(t, readMooncake, `
{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2]}
{"timestamp": 27482, "input_length": 7, "output_length": 0, "hash_ids": []}
>
line 1 at 0 prompt 6758 output 500 blocks [0 1 2]
line 2 at 27482000000 prompt 7 output 0 blocks []

{"timestamp": 0, "output_length": 500}
>
error trace:1: no input_length

{"timestamp": 0, "input_length": -1, "output_length": 500}
>
error trace:1: input_length -1: must be 0 to 1099511627776

{"timestamp": 0, "input_length": 1, "output_length": 1}
{"timestamp": 0, "input_len
>
line 1 at 0 prompt 1 output 1
error trace:2: not a row: unexpected end of JSON input
`)
}

func TestBailianRows(t *testing.T) {
	rows(t, readBailian, `
# the second turn of a chat is of the session of the first
{"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 521, "output_length": 132, "type": "text", "turn": 1, "hash_ids": [1089, 1090]}
{"chat_id": 160, "parent_chat_id": 159, "timestamp": 62.5, "input_length": 17, "output_length": 1, "type": "image", "turn": 2, "hash_ids": [1089, 7]}
>
line 1 at 61114000000 prompt 521 output 132 session 1318 blocks [1089 1090] model "" class "text"
line 2 at 62500000000 prompt 17 output 1 session 1318 blocks [1089 7] model "" class "image"

{"timestamp": -1, "input_length": 521, "output_length": 132}
>
error trace:1: no timestamp, or one out of range
`)
}

func TestBurstGPTRows(t *testing.T) {
	rows(t, readBurstGPT, `
Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45.5,GPT-4,1087,0,1087,API log
>
line 2 at 5000000000 prompt 472 output 18 model "ChatGPT" class "Conversation log"
line 3 at 45500000000 prompt 1087 output 0 model "GPT-4" class "API log" error

# with sessions and times; columns in another order
Session ID,Elapsed time,Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
7,2.5,5,ChatGPT,472,18,490,Conversation log
8,1.25,6,ChatGPT,3,0,3,Conversation log
>
line 2 at 5000000000 prompt 472 output 18 session 495 model "ChatGPT" class "Conversation log"
line 3 at 6000000000 prompt 3 output 0 session 2670 model "ChatGPT" class "Conversation log" error e2e 1250000000

Timestamp,Request tokens,Response tokens
x,1,1
>
error trace:2: Timestamp "x": must be a number
`)
}

func TestBenchRows(t *testing.T) {
	rows(t, readBench, `
# llmperf: an answer, one that came but does not count, a refusal that knows nothing
[{"error_code": null, "ttft_s": 0.25, "end_to_end_latency_s": 2.5, "number_input_tokens": 550, "number_output_tokens": 151, "number_total_tokens": 701},
{"error_code": -100, "error_msg": "x", "ttft_s": 0.81, "end_to_end_latency_s": 1.7, "number_input_tokens": 550, "number_output_tokens": 39, "GEN_TEXT": "not read"},
{"error_code": 429, "error_msg": "x", "ttft_s": 0, "end_to_end_latency_s": 0, "number_input_tokens": 550, "number_output_tokens": 0}]
>
line 1 prompt 550 output 151 ok ttft 250000000 e2e 2500000000
line 2 prompt 550 output 39 error ttft 810000000 e2e 1700000000
line 3 prompt 550 rejected status 429

# genai-bench, and a code as text
{"aggregated_metrics": {}, "individual_request_metrics": [{"ttft": 350, "e2e_latency": 958.5, "num_input_tokens": 106, "num_output_tokens": 100, "error_code": null}, {"error_code": "504"}], "_time_unit": "ms"}
>
line 1 prompt 106 output 100 ok ttft 350000000 e2e 958500000
line 2 timeout status 504

# one a line, with starts on a monotonic clock
{"start_ns": 5000, "ttft_s": 0.5, "end_to_end_latency_s": 1}
{"start_ns": 2000, "ttft_s": 0.5, "end_to_end_latency_s": 1}
>
line 2 at 0 ok ttft 500000000 e2e 1000000000
line 1 at 3000 ok ttft 500000000 e2e 1000000000

[{"ttft_s": "fast"}]
>
error trace:1: not a row: json: cannot unmarshal string into Go struct field benchFields.ttft_s of type float64

[]]
>
error trace: after 0 rows: not JSON: invalid character ']' looking for beginning of value
`)
}
