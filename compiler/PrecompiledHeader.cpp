// Exists so that the precompiled header has a target of its own to be built by.
