"""The site behind what lies between machines: a pooler of transactions, and TLS to both servers."""
