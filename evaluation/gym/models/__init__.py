"""Small language models trained here (`make gym`): they reply with the letter of the line that answers.

    vocabulary   the pieces of a prompt of `mode=select`, and the parts that sum to their embeddings
    rows         prompts like those of the leaderboards, generated fast as arrays of tokens
    boards       prompts of the benchmark's own generator, with seeds that no version has
    network      the transformer, in JAX
    training     AdamW, Muon, checkpoints
    gguf_file    the same network as a GGUF file for llama.cpp
    recipes      the training stages of each model

Only `network` and `training` import JAX, which is not part of the engine (`.ci/gym.lock`).
"""
