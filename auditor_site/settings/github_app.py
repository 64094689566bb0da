"""Settings of the site's GitHub App, by which people let the site read chosen repositories.

One App serves the whole site: its operator registers it, and teachers and students only install it.
"""

from auditor_site import addresses, env

GITHUB_APP_URL = addresses.origin_of("GITHUB_APP_URL", env.text("GITHUB_APP_URL"))
GITHUB_APP = env.complete(
    "GITHUB_APP_ID",
    "GITHUB_APP_SLUG",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_APP_CLIENT_ID",
    "GITHUB_APP_CLIENT_SECRET",
)
GITHUB_APP_WEBHOOK_SECRET = env.secret("GITHUB_APP_WEBHOOK_SECRET")
# A GitHub Enterprise Server has its API below its own address.
GITHUB_APP_API = (
    "https://api.github.com"
    if GITHUB_APP_URL == "https://github.com"
    else f"{GITHUB_APP_URL}/api/v3"
)
