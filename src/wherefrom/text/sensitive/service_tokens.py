"""Tokens and keys of services, which are known by how they begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wherefrom.text.sensitive.scanning import compiled, end_of_secret
from wherefrom.text.sensitive.secret_values import is_stand_in

# Texts without twenty such characters in a row hold none of the tokens below; most texts have none.
_TOKEN_LENGTH: Final = b"w" * 20
# How far around such a row a token may begin and end: "hooks.slack.com/services/…", two halves of a pair.
_TOKEN_MARGIN: Final = 64
_TOKEN_SHAPE: Final = re.sub(rb"[\w-]", b"w", re.sub(rb"[^\w-]", b" ", bytes(range(256))))

_ALNUM, _WORD, _HEX, _UPPER, _BASE64 = "[A-Za-z0-9]", r"[\w-]", "[0-9a-fA-F]", "[A-Z0-9]", r"[\w+/=-]"
# How tokens begin, by the characters that follow and how many of those there are at least. Real lengths are often
# fixed and longer, but services change them, and a token that was cut off is one too.
_PREFIXES: Final[dict[tuple[str, int], str]] = {
    (_ALNUM, 8): "sk_(?:live|test|prod|dev)_ rk_(?:live|test)_ rzp_(?:live|test)_",  # Stripe, Clerk, Paystack, Razorpay
    (_ALNUM, 16): "gh[oprsu]_ LTAI AKCp npg_",  # GitHub, Alibaba, Artifactory, Neon
    (_ALNUM, 20): (
        "ATBB lin_(?:api|oauth)_ nf[bcopu]_ vc[aikpr]_ fw_ "  # Bitbucket, Linear, Netlify, Vercel, Fireworks
        r"rnd_ dp\.(?:pt|ct|sa|said|scim|audit|st(?:\.[\w-]{2,35})?)\. "  # Render, Doppler
        "re_[A-Za-z0-9]{6,10}_ wf_[0-9a-f-]{36}_"  # Resend, Wherefrom itself
    ),
    (_ALNUM, 30): (
        "hf_ api_org_ gsk_ r8_ pplx- npm_ cio "  # Hugging Face, Groq, Replicate, Perplexity, crates.io
        "oy2(?=[a-z0-9]{40}) ntn_ pn[ub]_ AKID ico- apify_api_ "  # NuGet, Notion, Prefect, Tencent, Infracost
        "p8e- bk(?:ua|ct|rt|aj|at)_ napi_ phx_ rdme_ "  # Adobe, Buildkite, Neon, PostHog, Readme
        "ls__ m0-"  # LangSmith, before lsv2, Mem0
    ),
    (_ALNUM, 40): (
        "secret_ xai- csk- EZ[AT]K CLOJARS_ [xyz]prv "  # Notion, before ntn_, Cerebras, EasyPost, wallets
        "(?<![/+])EAA[A-Z](?![A-Za-z0-9]{0,60}AAA)"  # Facebook, Square; not the zeros of base64
    ),
    (_HEX, 20): "shp(?:at|ca|pa|ss|ua|rt)_ sk_ e2b_ fc-",  # Shopify, ElevenLabs, Firecrawl
    (_HEX, 30): (
        "do[opr]_v1_ dapi rubygems_ SK sbp_ key- "  # DigitalOcean, Databricks, Twilio, Supabase, Mailgun
        "sq[abpu]_ pul- shippo_(?:live|test)_ CCI(?:PAT|PRJ)_[A-Za-z0-9]{8,40}_ "  # Sonar, Pulumi, CircleCI
        "c[ks]_ (?:live|test)_ xkeysib- xsmtpsib-"  # WooCommerce, Lob, Brevo
    ),
    (_UPPER, 16): "A[KSB]IA ACCA",  # AWS
    (_UPPER, 20): "AGE-SECRET-KEY-1 API-",  # age; Octopus
    (_BASE64, 20): (
        "AT[AC]TT3 AccountKey= SharedAccess(?:Key|Signature)= gl[cs]a?_ "  # Atlassian, Azure, Grafana
        "pscale_(?:tkn|pw|oauth)_ sntry[su]_ whsec_ dckr_[op]at_ "  # PlanetScale, Sentry, Stripe, Svix, Docker
        "fm[12][ar]?_ fo1_ ops_eyJ tfp_ sgp_ ABSK "  # Fly.io, 1Password, Typeform, Sourcegraph, Bedrock
        "cflt eyJrIjoi cmVmdGtu"  # Confluent, Grafana, older, Artifactory
    ),
    (_WORD, 16): (
        "github_pat_ gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas|ffct|wt)- GR1348941 "  # GitLab
        r"xox[a-z](?:\.xox[a-z])?- xapp- xwfp- "  # Slack
        "sk-(?:ant|proj|svcacct|admin|or|lf|helicone|None)- "  # Anthropic, OpenAI, OpenRouter, Langfuse, Helicone
        "sq0[a-z]{3}- pypi-Ag NR(?:AK|AL|II|IQ|JS|RA|SP)- tskey- "  # Square, New Relic, Tailscale
        "FLWSECK(?:_TEST|_LIVE)?- tvly- "  # Flutterwave, Tavily
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{8,40}/ "
        r"discord(?:app)?\.com/api/webhooks/[0-9]{10,24}/"
    ),
    (_WORD, 20): (
        r"GOCSPX- ya29\. 1//0 AQ\.Ab hv[bsr]\. figd_ lsv2_(?:pt|sk)_ "  # Google, Vault, Figma, LangSmith
        r"pcsk_ sb_secret_ HRKU- PMAK- snyk_[us]at\.(?:[0-9a-f]{8}\.)? "  # Pinecone, Supabase, Heroku, Postman
        "CFPAT- fio-u- duffel_(?:live|test)_ tgp_v1_ jina_ nvapi- "  # Contentful, Frame.io, Together
        "mdb_sa_sk_ sha256~ vercel_blob_rw_ cf(?:k|at|ut)_ "  # MongoDB Atlas, OpenShift, Cloudflare
        r"v1\.0-(?=[0-9a-f]{20}) pat-(?:na|eu|ap)[0-9]- access-(?:sandbox|development|production)- "  # HubSpot, Plaid
        "waka_ unkey_ tr_(?:dev|prod|stg)_ A3-[A-Z0-9]{6}-(?=[A-Z0-9-]{20}) dd[op]_ "  # Trigger.dev, 1Password, Deno
        "wandb_v1_ slk_"
    ),
    (_WORD, 30): "AIza AQVN y[0-3]_ YC[ABM]",  # Google, Yandex
    (_WORD, 80): r"sl\.",  # Dropbox
}
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
    """Yields the start and end of each long run with its surroundings; runs that are near each other are one."""
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
    """The pattern of all tokens: open-ended, so that two tokens in a row are one."""
    prefixed = [
        f"(?:{'|'.join(prefixes.split())}){characters}{{{least},}}"
        for (characters, least), prefixes in _PREFIXES.items()
    ]
    return f"(?a)(?:{_EDGE}(?:{'|'.join((*prefixed, *_SHAPES))})|{_ANYWHERE})"


def _is_made_up(token: str) -> bool:
    """True if chance made a token: "sk-or-something-readable" has neither digits nor capital letters."""
    return any(map(str.isdigit, token[4:])) or token.lower() != token
