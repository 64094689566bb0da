"""The first page, the account's tokens, and what the operator watches."""
