"""The formats in which agents talk to their model: one module each, alike in shape.

Every module has `serves(path)`, `read(body)` -> Request, and `write(reply, body, answer)`.
"""

from dialects import anthropic, gemini, openai_chat, openai_responses

DIALECTS = {
    "chat": openai_chat,
    "responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
}


def of(path):
    """The name of the dialect of a request path, or None."""
    return next((name for name, dialect in DIALECTS.items() if dialect.serves(path)), None)
