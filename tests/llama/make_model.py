#!/usr/bin/env python3
"""Writes a small model of the llama architecture as a GGUF file, with weights from a seeded generator.

It has what real ones have (grouped queries, rotary positions, RMS norms, SwiGLU, a tokenizer of bytes)
and says nothing sensible. Weights of the quantised types are drawn as they are stored, so that no
quantiser is needed: their blocks hold random integers below a scale. The same arguments give the same
bytes everywhere.

  make_model.py --type q4_0 model.gguf
"""
import argparse
import array
import random
import struct
import sys

ALIGNMENT = 32
# Numbers of the format (GGUF's specification): kinds of metadata values, ...
U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9
# ... kinds of tokens, ...
UNKNOWN, CONTROL, BYTE = 2, 3, 6
# ... and types of tensors: number, weights in a block, and the file_type of a model made of them.
TYPES = {"f32": (0, 1, 0), "f16": (1, 1, 1), "q4_0": (2, 32, 2), "q8_0": (8, 32, 7), "q4_k": (12, 256, 15),
         "q6_k": (14, 256, 18), "bf16": (30, 1, 32)}


def half(x):
    return struct.pack("<e", x)


class Weights:
    """Draws tensors; each has a generator of its own, so that sizes of others do not matter."""

    def __init__(self, seed):
        self.seed = seed

    def draw(self, name, kind, count, deviation):
        # A seed that is text is hashed with SHA-512: the same everywhere.
        bits = random.Random(f"{self.seed} {name}")
        if kind in ("f32", "f16", "bf16"):
            # The sum of the four bytes of a word, which is close enough to normal: its deviation is 147.8.
            raw = bits.randbytes(4 * count)
            values = array.array("f", ((sum(raw[4 * i:4 * i + 4]) - 510) * (deviation / 147.8) for i in range(count)))
            if sys.byteorder == "big":
                values.byteswap()
            if kind == "f32":
                return values.tobytes()
            if kind == "f16":
                return struct.pack(f"<{count}e", *values)
            words = array.array("H", values.tobytes())[1::2]  # bfloat16 is the upper half of a float
            return words.tobytes()
        block = TYPES[kind][1]
        made = bytearray()
        for _ in range(count // block):
            # Scales differ from block to block, by a factor of up to two.
            scale = deviation * (0.7 + bits.random() * 0.7)
            if kind == "q4_0":  # (q - 8) * d; uniform in 16 steps: deviation 4.6
                made += half(scale / 4.6) + bits.randbytes(16)
            elif kind == "q8_0":  # q * d; uniform: deviation 73.9
                made += half(scale / 73.9) + bits.randbytes(32)
            elif kind == "q4_k":
                # q * s * d - m * dmin, with s and m of six bits, packed into twelve bytes. Minima that are
                # 7.5 times as large take the mean out; what is left deviates by some 230.
                made += half(scale / 230) + half(7.5 * scale / 230) + bits.randbytes(12) + bits.randbytes(128)
            elif kind == "q6_k":  # (q - 32) * s * d, with s of eight bits; deviation 18.5 * 73.9
                made += bits.randbytes(192) + bits.randbytes(16) + half(scale / (18.5 * 73.9))
        return bytes(made)


def text(s):
    raw = s.encode()
    return struct.pack("<Q", len(raw)) + raw


def entry(key, kind, value):
    if kind == STRING:
        return text(key) + struct.pack("<I", kind) + text(value)
    if isinstance(value, list):
        of = {U32: "I", I32: "i", F32: "f"}
        body = b"".join(map(text, value)) if kind == ARRAY else struct.pack(f"<{len(value)}{of[kind]}", *value)
        element = STRING if kind == ARRAY else kind
        return text(key) + struct.pack("<IIQ", ARRAY, element, len(value)) + body
    return text(key) + struct.pack("<I" + {U32: "I", I32: "i", F32: "f"}[kind], kind, value)


def tokenizer():
    """Every byte is a token; so any text has tokens, and none was learned."""
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    # A vocabulary that is no multiple of 32 makes the last rows of a matrix a partial tile.
    return [
        entry("tokenizer.ggml.model", STRING, "llama"),
        entry("tokenizer.ggml.tokens", ARRAY, names),
        entry("tokenizer.ggml.scores", F32, [0.0] * len(names)),
        entry("tokenizer.ggml.token_type", I32, kinds),
        entry("tokenizer.ggml.bos_token_id", U32, 1),
        entry("tokenizer.ggml.eos_token_id", U32, 2),
        entry("tokenizer.ggml.unknown_token_id", U32, 0),
    ], len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--type", default="f32", choices=sorted(TYPES), help="of the matrices (f32)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--embedding", type=int, default=256, help="width (256)")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--heads", type=int, default=4, help="of the queries (4); keys and values have half as many")
    parser.add_argument("--feed-forward", type=int, default=512)
    parser.add_argument("--context", type=int, default=128)
    args = parser.parse_args()
    width, inner, heads = args.embedding, args.feed_forward, args.heads
    if heads % 2 or width % heads or any(n % TYPES[args.type][1] for n in (width, inner)):
        parser.error(f"sizes do not fit: a row of {args.type} is a multiple of {TYPES[args.type][1]}")
    head = width // heads
    narrow = heads // 2 * head

    vocabulary, tokens = tokenizer()
    metadata = [
        entry("general.architecture", STRING, "llama"),
        entry("general.name", STRING, f"random weights, seed {args.seed}"),
        entry("general.alignment", U32, ALIGNMENT),
        entry("general.file_type", U32, TYPES[args.type][2]),
        entry("llama.context_length", U32, args.context),
        entry("llama.embedding_length", U32, width),
        entry("llama.block_count", U32, args.layers),
        entry("llama.feed_forward_length", U32, inner),
        entry("llama.attention.head_count", U32, heads),
        entry("llama.attention.head_count_kv", U32, heads // 2),
        entry("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        entry("llama.rope.dimension_count", U32, head),
        entry("llama.rope.freq_base", F32, 10000.0),
        entry("llama.vocab_size", U32, tokens),
    ] + vocabulary

    # Name, type, columns (what is contiguous), rows, deviation: that which keeps the size of what goes
    # through. The output's is larger, so that the greatest logit stands clear of the others.
    tensors = [("token_embd.weight", args.type, width, tokens, 1.0)]
    for i in range(args.layers):
        matrices = [("attn_q", width, width), ("attn_k", width, narrow), ("attn_v", width, narrow),
                    ("attn_output", width, width), ("ffn_gate", width, inner), ("ffn_up", width, inner),
                    ("ffn_down", inner, width)]
        tensors += [(f"blk.{i}.{name}.weight", "f32", width, 1, None) for name in ("attn_norm", "ffn_norm")]
        tensors += [(f"blk.{i}.{name}.weight", args.type, c, r, c ** -0.5) for name, c, r in matrices]
    tensors += [("output_norm.weight", "f32", width, 1, None),
                ("output.weight", args.type, width, tokens, 4 * width ** -0.5)]

    weights = Weights(args.seed)
    infos, data = b"", bytearray()
    for name, kind, columns, rows, deviation in tensors:
        shape = (columns,) if deviation is None else (columns, rows)
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, TYPES[kind][0], len(data))
        if deviation is None:  # norms: around 1
            drawn = array.array("f", weights.draw(name, kind, columns, 0.1))
            data += struct.pack(f"<{columns}f", *(1 + x for x in drawn))
        else:
            data += weights.draw(name, kind, columns * rows, deviation)
        data += bytes(-len(data) % ALIGNMENT)
    front = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(metadata) + infos
    with open(args.file, "wb") as file:
        file.write(front + bytes(-len(front) % ALIGNMENT) + data)


if __name__ == "__main__":
    main()
