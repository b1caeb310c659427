// Intent and rationale in front of what Pi shows of a call.
import { Container, Text } from "@earendil-works/pi-tui";

const DRAWN = Symbol.for("pilotage.provenance");
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/** Pi's component of a call with the provenance above it. */
class CallWithProvenance extends Container {
  constructor(inner, lines) {
    super();
    this.inner = inner;
    for (const line of lines) this.addChild(line);
    this.addChild(inner);
  }
}

/** Chooses how calls are drawn: as they would be, with the provenance above, once where two copies are loaded. */
export function drawProvenance(names) {
  return (name, next) => {
    const own = next();
    if (!names.includes(name) || !own?.renderCall || own.renderCall[DRAWN]) return own;
    return { ...own, renderCall: Object.assign(withProvenance(own.renderCall), { [DRAWN]: true }) };
  };
}

/** A rendering of a call, wrapped; where wrapping fails, the rendering alone. */
function withProvenance(renderCall) {
  return (args, theme, context) => {
    const last = context.lastComponent;
    const inner = renderCall(args, theme, {
      ...context,
      lastComponent: last instanceof CallWithProvenance ? last.inner : last,
    });
    try {
      const lines = provenance(args, theme, inner, context);
      return lines.length ? new CallWithProvenance(inner, lines) : inner;
    } catch {
      return inner;
    }
  };
}

/** The lines of provenance; on the background of a component that has one of its own, as that of `edit`. */
function provenance(args, theme, inner, context) {
  const isBoxed = typeof inner.bgFn === "function";
  const background = isBoxed ? (text) => inner.bgFn(text) : undefined;
  const texts = [
    ["accent", plain(args?.intent)],
    ["muted", plain(args?.rationale)],
  ].filter(([, text]) => text);
  return texts.map(
    ([colour, text]) => new Text(theme.fg(colour, text), isBoxed ? context.outputPad : 0, 0, background),
  );
}

/** Text on one line in which nothing steers a terminal. */
function plain(value) {
  return typeof value === "string" ? value.replace(UNSAFE, " ").trim() : "";
}
