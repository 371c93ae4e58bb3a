// Elements in one call, and panels that are drawn anew without losing where somebody is.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  // A select takes its value only once its options are there.
  if (props && "value" in props && element.tagName === "SELECT") element.value = props.value;
  return element;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

// The panel whose focus had nowhere to go for the moment.
let lost = null;

// Replaces what a panel holds. Focus, caret, open details and scroll stay with the elements of the same `data-key`.
export function draw(root, ...children) {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const key = active?.dataset?.key;
  const opened = new Map([...root.querySelectorAll("details[data-key]")].map((one) => [one.dataset.key, one.open]));
  const scrolled = new Map([...root.querySelectorAll("[data-scroll]")].map((one) => [one.dataset.scroll, [one.scrollLeft, one.scrollTop]]));
  const typed = active?.matches("input[type=text], input[type=number]") ? [active.selectionStart, active.selectionEnd] : null;
  const fresh = document.createDocumentFragment();
  fresh.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  const again = key ? fresh.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  // Whoever is typing keeps his very input: half a number is no value yet.
  if (typed && again) {
    for (const name of ["aria-invalid", "aria-describedby"]) {
      if (again.hasAttribute(name)) active.setAttribute(name, again.getAttribute(name)); else active.removeAttribute(name);
    }
    again.replaceWith(active);
  }
  root.replaceChildren(fresh);
  for (const one of root.querySelectorAll("details[data-key]")) if (opened.has(one.dataset.key)) one.open = opened.get(one.dataset.key);
  for (const one of root.querySelectorAll("[data-scroll]")) {
    const at = scrolled.get(one.dataset.scroll);
    if (at) [one.scrollLeft, one.scrollTop] = at;
  }
  const target = typed && again ? active : again;
  if (target && !target.disabled) {
    lost = null;
    target.focus({ preventScroll: true });
    if (typed && typed[0] !== null) target.setSelectionRange(...typed);
  } else if (active || (lost === root && document.activeElement === document.body)) {
    // What had the focus is gone, or waits: the keyboard goes on at the panel's heading.
    const next = root.querySelector("[data-focus]");
    lost = next ? null : root;
    next?.focus({ preventScroll: true });
  }
}

// A random key: crypto.randomUUID is there only on https and localhost.
export const chance = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((one) => one.toString(16).padStart(2, "0")).join("");

export function die(sides) {
  const whole = new Uint32Array(1);
  const most = Math.floor(2 ** 32 / sides) * sides;
  do crypto.getRandomValues(whole); while (whole[0] >= most);
  return (whole[0] % sides) + 1;
}
