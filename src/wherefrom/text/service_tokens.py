"""Tokens and keys of services, which are known by how they begin."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from wherefrom.text.patterns import compiled
from wherefrom.text.secret_ends import end_of_secret
from wherefrom.text.secret_values import is_stand_in

# Texts without twenty such characters in a row hold none of the tokens below; most texts have none.
_TOKEN_LENGTH: Final = b"w" * 20
# How far around such a row a token may begin and end: "hooks.slack.com/services/…", two halves of a pair.
_TOKEN_MARGIN: Final = 64
_TOKEN_SHAPE: Final = bytes(
    ord("w") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_-") else ord(" ") for byte in range(256)
)

_ALNUM, _WORD, _HEX, _UPPER, _BASE64 = "[A-Za-z0-9]", r"[\w-]", "[0-9a-fA-F]", "[A-Z0-9]", r"[\w+/=-]"
# How tokens begin, by the characters that follow and how many of those there are at least. Real lengths are often
# fixed and longer, but services change them, and a token that was cut off is one too.
_PREFIXES: Final[dict[tuple[str, int], tuple[str, ...]]] = {
    (_ALNUM, 8): (
        "sk_(?:live|test|prod|dev)_",  # Stripe, Clerk, Paystack
        "rk_(?:live|test)_",
        "rzp_(?:live|test)_",  # Razorpay
    ),
    (_ALNUM, 16): (
        "gh[oprsu]_",  # GitHub
        "LTAI",  # Alibaba
        "AKCp",  # Artifactory
        "npg_",  # Neon
    ),
    (_ALNUM, 20): (
        "ATBB",  # Bitbucket
        "lin_(?:api|oauth)_",  # Linear
        "nf[bcopu]_",  # Netlify
        "vc[aikpr]_",  # Vercel
        "fw_",  # Fireworks
        "rnd_",  # Render
        r"dp\.(?:pt|ct|sa|said|scim|audit|st(?:\.[\w-]{2,35})?)\.",  # Doppler
        r"re_[A-Za-z0-9]{6,10}_",  # Resend
    ),
    (_ALNUM, 30): (
        "hf_",  # Hugging Face
        "api_org_",
        "gsk_",  # Groq
        "r8_",  # Replicate
        "pplx-",  # Perplexity
        "npm_",
        "cio",  # crates.io
        "oy2(?=[a-z0-9]{40})",  # NuGet
        "ntn_",  # Notion
        "pn[ub]_",  # Prefect
        "AKID",  # Tencent
        "ico-",  # Infracost
        "apify_api_",
        "p8e-",  # Adobe
        "bk(?:ua|ct|rt|aj|at)_",  # Buildkite
        "napi_",  # Neon
        "phx_",  # PostHog
        "rdme_",  # Readme
        "ls__",  # LangSmith, before lsv2
        "m0-",  # Mem0
    ),
    (_ALNUM, 40): (
        "secret_",  # Notion, before ntn_
        "xai-",
        "csk-",  # Cerebras
        "EZ[AT]K",  # EasyPost
        "CLOJARS_",
        "[xyz]prv",  # wallets
        "(?<![/+])EAA[A-Z](?![A-Za-z0-9]{0,60}AAA)",  # Facebook, Square; not the zeros of base64
    ),
    (_HEX, 20): (
        "shp(?:at|ca|pa|ss|ua|rt)_",  # Shopify
        "sk_",  # ElevenLabs
        "e2b_",
        "fc-",  # Firecrawl
    ),
    (_HEX, 30): (
        "do[opr]_v1_",  # DigitalOcean
        "dapi",  # Databricks
        "rubygems_",
        "SK",  # Twilio
        "sbp_",  # Supabase
        "key-",  # Mailgun
        "sq[abpu]_",  # Sonar
        "pul-",  # Pulumi
        "shippo_(?:live|test)_",
        "CCI(?:PAT|PRJ)_[A-Za-z0-9]{8,40}_",  # CircleCI
        "c[ks]_",  # WooCommerce
        "(?:live|test)_",  # Lob
        "xkeysib-",  # Brevo
        "xsmtpsib-",
    ),
    (_UPPER, 16): ("A[KSB]IA", "ACCA"),  # AWS
    (_UPPER, 20): ("AGE-SECRET-KEY-1", "API-"),  # age; Octopus
    (_BASE64, 20): (
        "AT[AC]TT3",  # Atlassian
        "AccountKey=",  # Azure
        "SharedAccess(?:Key|Signature)=",
        "gl[cs]a?_",  # Grafana
        "pscale_(?:tkn|pw|oauth)_",  # PlanetScale
        "sntry[su]_",  # Sentry
        "whsec_",  # Stripe, Svix
        "dckr_[op]at_",  # Docker
        "fm[12][ar]?_",  # Fly.io
        "fo1_",
        "ops_eyJ",  # 1Password
        "tfp_",  # Typeform
        "sgp_",  # Sourcegraph
        "ABSK",  # Bedrock
        "cflt",  # Confluent
        "eyJrIjoi",  # Grafana, older
        "cmVmdGtu",  # Artifactory
    ),
    (_WORD, 16): (
        "github_pat_",
        "gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas|ffct|wt)-",  # GitLab
        "GR1348941",
        "xox[a-z](?:\\.xox[a-z])?-",  # Slack
        "xapp-",
        "xwfp-",
        "sk-(?:ant|proj|svcacct|admin|or|lf|helicone|None)-",  # Anthropic, OpenAI, OpenRouter, Langfuse, Helicone
        "sq0[a-z]{3}-",  # Square
        "pypi-Ag",
        "NR(?:AK|AL|II|IQ|JS|RA|SP)-",  # New Relic
        "tskey-",  # Tailscale
        "FLWSECK(?:_TEST|_LIVE)?-",  # Flutterwave
        "tvly-",  # Tavily
        "hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/-]{8,40}/",
        "discord(?:app)?\\.com/api/webhooks/[0-9]{10,24}/",
    ),
    (_WORD, 20): (
        "GOCSPX-",  # Google
        "ya29\\.",
        "1//0",
        "AQ\\.Ab",
        "hv[bsr]\\.",  # Vault
        "figd_",  # Figma
        "lsv2_(?:pt|sk)_",  # LangSmith
        "pcsk_",  # Pinecone
        "sb_secret_",  # Supabase
        "HRKU-",  # Heroku
        "PMAK-",  # Postman
        "snyk_[us]at\\.(?:[0-9a-f]{8}\\.)?",
        "CFPAT-",  # Contentful
        "fio-u-",  # Frame.io
        "duffel_(?:live|test)_",
        "tgp_v1_",  # Together
        "jina_",
        "nvapi-",
        "mdb_sa_sk_",  # MongoDB Atlas
        "sha256~",  # OpenShift
        "vercel_blob_rw_",
        "cf(?:k|at|ut)_",  # Cloudflare
        "v1\\.0-(?=[0-9a-f]{20})",
        "pat-(?:na|eu|ap)[0-9]-",  # HubSpot
        "access-(?:sandbox|development|production)-",  # Plaid
        "waka_",
        "unkey_",
        "tr_(?:dev|prod|stg)_",  # Trigger.dev
        "A3-[A-Z0-9]{6}-(?=[A-Z0-9-]{20})",  # 1Password
        "dd[op]_",  # Deno
        "wandb_v1_",
        "slk_",
    ),
    (_WORD, 30): (
        "AIza",  # Google
        "AQVN",  # Yandex
        "y[0-3]_",
        "YC[ABM]",
    ),
    (_WORD, 80): (
        "sl\\.",  # Dropbox
    ),
}  # fmt: skip
# Tokens that are known by more than their beginning.
_SHAPES: Final = (
    r"eyJ[\w-]{17,2000}+={0,2}\.[\w-]{8,}(?:\.[\w-]*){0,3}",  # JSON web tokens
    r"sk-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{20,}",  # OpenAI and those that speak its language
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"[ps]k\.eyJ[\w-]{20,}\.[\w-]{8,}",  # Mapbox
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}",  # Airtable
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}",  # Terraform
    r"t1\.[\w-]{20,}={0,2}\.[\w-]{40,}",  # Yandex
    r"dt0[a-z][0-9]{2}\.[A-Z0-9]{20,}\.[A-Z0-9]{40,}",  # Dynatrace
    r"(?:pat|sat)\.[\w-]{20,24}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",  # Harness
    r"s\.(?=[a-z0-9]{0,23}[A-Z])(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![\w(])",  # Vault, before hvs.
    r"pa-(?=[\w-]{0,40}[A-Z])(?=[\w-]{0,40}[0-9])[\w-]{40,}",  # Voyage
    r"A{18,24}[A-Za-z0-9]{4,10}A{5,9}[\w%]{40,}",  # Twitter
    r"[0-9a-f]{36}NRAL",  # New Relic
    r"[\w~.]{3}[0-9]Q~[\w~.-]{31,}",  # Microsoft Entra
    r"[12]/[0-9]{10,20}(?:/[0-9]{10,20})?:[0-9a-f]{32}",  # Asana
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}",  # Discord
    r"(?:bot)?[0-9]{8,10}:AA[\w-]{30,}",  # Telegram
    r"(?=[A-Z-]{0,28}[0-9])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![\w-])",  # keys of products
    r"(?:[0-9]{6}-){7}[0-9]{6}(?![\w-])",  # BitLocker
    r"[0-9a-f]{32}-us[0-9]{1,2}",  # Mailchimp
)
_AWS_PAIR: Final = r"A(?:KIA|SIA)[A-Z0-9]{16}[^A-Za-z0-9+/][^+/]{0,60}?(?<![\w+/])([A-Za-z0-9+/]{40})(?![\w+/])"
# A token begins at the edge of a word, after an escaped line break or after an escaped sign of a URL.
_EDGE: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"

# Some are like nothing else, wherever they begin.
_ANYWHERE: Final = r"gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_\w{30,}|glpat-[\w-]{20,}|sk-(?:ant|proj)-[\w-]{30,}"


def token_spans(text: str, latin: bytes) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each token; the text is given also in Latin-1."""
    for start, end in _token_windows(latin):
        at = start
        while match := compiled(_any_token()).search(text, at, end):
            at = match.end()
            if not is_stand_in(match[0]) and _is_made_up(match[0]):
                at = end_of_secret(text, match.start(), match.end())
                yield match.start(), at
        for pair in compiled(_AWS_PAIR).finditer(text, start, end):
            if not is_stand_in(pair[1]):
                yield pair.span(1)


def may_hold_tokens(latin: bytes) -> bool:
    """Returns whether a text, in Latin-1, has a run of characters long enough for a token."""
    return _TOKEN_LENGTH in latin.translate(_TOKEN_SHAPE)


def _token_windows(latin: bytes) -> Iterator[tuple[int, int]]:
    """The long runs with what stands around them; those that stand near each other together."""
    shape = latin.translate(_TOKEN_SHAPE)
    start = shape.find(_TOKEN_LENGTH)
    while start >= 0:
        following, end, wordy = start, start, True
        while 0 <= following <= end + _TOKEN_MARGIN:
            end = shape.find(b" ", following)
            end = len(shape) if end < 0 else end
            # Long words of a sentence: no token is without digits and capital letters.
            wordy = wordy and latin[following:end].translate(None, b"-_").isalpha() and latin[following:end].islower()
            following = shape.find(_TOKEN_LENGTH, end)
        if not wordy:
            yield max(0, start - _TOKEN_MARGIN), end + _TOKEN_MARGIN
        start = following


@cache
def _any_token() -> str:
    """One pattern for all: open-ended, so that two tokens in a row are one."""
    prefixed = [
        f"(?:{'|'.join(prefixes)}){characters}{{{least},}}" for (characters, least), prefixes in _PREFIXES.items()
    ]
    return f"(?a)(?:{_EDGE}(?:{'|'.join((*prefixed, *_SHAPES))})|{_ANYWHERE})"


def _is_made_up(token: str) -> bool:
    """Whether chance made it: "sk-or-something-readable" has neither digits nor capital letters."""
    return any(map(str.isdigit, token[4:])) or token.lower() != token
