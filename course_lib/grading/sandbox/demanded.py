"""How much isolation somebody demands, and what of it this machine has."""

from course_lib.grading.sandbox import isolation as isolating


def layers(isolation: str) -> dict[str, str]:
    """By layer, "active", or why it is not. isolation: "required", "available" or "off".

    Raises RuntimeError where one is required and missing.
    """
    if isolation not in ("required", "available", "off"):
        raise ValueError(f'isolation: expected "required", "available" or "off", got {isolation!r}')
    if isolation == "off":
        return dict.fromkeys(isolating.LAYERS, "switched off")
    states = isolating.probe()
    missing = [f"{layer} ({state})" for layer, state in states.items() if state != "active"]
    if missing and isolation == "required":
        raise RuntimeError(f"isolation is required, and this machine lacks {'; '.join(missing)}")
    return states
