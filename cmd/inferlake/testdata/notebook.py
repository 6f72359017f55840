"""Executes a notebook in Jupyter's kernel: notebook.py NOTEBOOK FOLDER FRAME…

The named data frames that it leaves are written to FOLDER as CSV, and its pictures as PNG. It fails where a cell fails,
complains on standard error, or where the notebook was kept with answers in it.
"""

import base64
import os
import sys

import nbclient
import nbformat

path, folder, *frames = sys.argv[1:]
notebook = nbformat.read(path, as_version=4)
nbformat.validate(notebook)
if any(cell.outputs or cell.execution_count for cell in notebook.cells if cell.cell_type == "code"):
    sys.exit(f"{path} has answers in it: clear all outputs before it is kept")
save = f"for name in {frames!r}: globals()[name].to_csv(os.path.join({folder!r}, name + '.csv'), index=False)"
notebook.cells.append(nbformat.v4.new_code_cell(save))
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()

pictures = 0
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        if output.output_type == "stream" and output.name == "stderr":
            sys.exit(f"the cell {cell.id} complains: {output.text}")
        if picture := output.get("data", {}).get("image/png"):
            pictures += 1
            with open(os.path.join(folder, f"{pictures}.png"), "wb") as file:
                file.write(base64.b64decode(picture))
