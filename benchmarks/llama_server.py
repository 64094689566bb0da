"""llama.cpp's own server with a tiny model of random weights, which this writes.

It needs the packages xllamacpp and gguf, and is started by benchmarks/llama_cpp.py. It prints its
address, and ends when its standard input closes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gguf  # type: ignore[import-not-found]  # -- in an environment of its own
import numpy as np
import xllamacpp  # type: ignore[import-not-found]  # -- in an environment of its own

WIDTH, LAYERS, HEADS, INNER = 64, 2, 4, 128
# Every character of a prompt is a token of this model, so a prompt has as many as characters.
CONTEXT_TOKENS, PARALLEL = 65_536, 2
SPECIAL = [b"<unk>", b"<s>", b"</s>"]
BYTES = [f"<0x{byte:02X}>".encode() for byte in range(256)]
CHARACTERS = [text.encode() for text in ["\u2581", *map(chr, range(33, 127))]]
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6


def write_model(path: Path) -> None:
    """Write a llama with weights by a fixed seed, and a vocabulary of characters and bytes."""
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    _add_vocabulary(writer)
    _add_weights(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any) -> None:
    tokens = [*SPECIAL, *BYTES, *CHARACTERS]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(place) for place in range(len(tokens))])
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * len(BYTES), *[NORMAL] * len(CHARACTERS)]
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_vocab_size(len(tokens))


def _add_weights(writer: Any) -> None:
    random = np.random.default_rng(0)
    words = len(SPECIAL) + len(BYTES) + len(CHARACTERS)
    shapes = {"token_embd": (words, WIDTH), "output": (words, WIDTH)}
    norms = ["output_norm"]
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        norms += [f"{block}.attn_norm", f"{block}.ffn_norm"]
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"{block}.{part}"] = (WIDTH, WIDTH)
        shapes[f"{block}.ffn_gate"] = shapes[f"{block}.ffn_up"] = (INNER, WIDTH)
        shapes[f"{block}.ffn_down"] = (WIDTH, INNER)
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.2, shape).astype(np.float32))
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "random.gguf"
        write_model(path)
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx, parameters.n_parallel = CONTEXT_TOKENS * PARALLEL, PARALLEL
        parameters.port = 0
        server = xllamacpp.Server(parameters)
        print(server.listening_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
