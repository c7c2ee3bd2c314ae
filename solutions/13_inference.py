# %% [markdown]
# # One word at a time, fast
