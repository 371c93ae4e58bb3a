// The map as SVG: ground, walls, people, and what the draft says about them. Without a map, what has been stated.
import { draw, h, s } from "./dom.js";
import { placed } from "./labels.js";
import { bearing, bounds, plane } from "./space.js";
import { number, t } from "./words.js";

const line = (points) => points.map((one) => one.join(",")).join(" ");
const NARROW = 340;
const PADDING = 26;
const HIGHEST = 0.54;

export class MapPanel {
  constructor(root, table, say) {
    this.root = root;
    this.table = table;
    this.say = say;
    this.zoom = 1;
    this.cursor = null;
  }

  draw() {
    const { table } = this;
    const space = table.view.space;
    if (space.mode === "stated") return draw(this.root, h("h2", { id: "place-title" }, t("facts")), facts(table));
    this.lay = plane(space, table.rules.metric);
    const box = bounds(space, table.view.combatants, this.lay);
    this.box = box;
    // As wide as the panel, and no higher than its frame may be.
    const room = Math.max((this.root.clientWidth || NARROW) - PADDING, 200);
    const fit = Math.min(1, (innerHeight * HIGHEST * box.width) / box.height / room) * this.zoom;
    this.scale = (room * fit) / box.width;
    const picture = s("svg", {
      viewBox: `${box.left} ${box.top} ${box.width} ${box.height}`, class: table.pick ? "map picking" : "map", role: "group", "data-key": "map",
      "aria-label": t("map_of", { name: table.view.name }), tabindex: table.pick ? 0 : null,
      onclick: (event) => this.clicked(event, picture), onkeydown: (event) => this.pressed(event),
    }, s("defs", {}, hatch(this.scale)), this.ground(space, box), this.regions(space), this.walls(space), this.zones(), this.loose(), this.draft(), this.people(), this.aim());
    picture.style.width = `${fit * 100}%`;
    this.picture = picture;
    draw(this.root, h("div", { class: "bar" }, h("h2", { id: "place-title" }, t("map")), h("span", { class: "hint" }, this.legend(space)),
      h("span", { class: "push" }), this.zoomer("−", "zoom_out", 1 / 1.5), this.zoomer("+", "zoom_in", 1.5)),
    table.pick ? h("p", { class: "picked", role: "status" }, t(`pick_${table.pick}`), " ", h("button", { type: "button", "data-key": "pick-done", onclick: () => this.done() }, t("done"))) : null,
    h("div", { class: "frame", "data-scroll": "map" }, picture));
  }

  zoomer(text, key, factor) {
    return h("button", { type: "button", class: "small", "data-key": key, "aria-label": t(key), onclick: () => { this.zoom = Math.min(6, Math.max(1, this.zoom * factor)); this.draw(); } }, text);
  }

  legend(space) {
    const unit = this.table.rules.unit_name;
    return space.grid === "none" ? t("line_each", { length: number(5), unit }) : t("cell_is", { length: number(space.cell), unit });
  }

  ground(space, box) {
    const size = space.size ?? [box.width, box.height];
    const [x, y] = space.size ? [0, 0] : [box.left, box.top];
    const rect = { x, y, width: size[0], height: size[1] };
    if (space.grid === "hex") return [s("rect", { ...rect, class: "floor" }), this.hexes(space, box)];
    const step = space.grid === "square" ? space.cell : 5;
    if (size[0] / step > 400 || size[1] / step > 400) return s("rect", { ...rect, class: "floor" });
    const half = space.grid === "square" ? space.cell / 2 : 0;
    const lines = [];
    for (let at = first(x, space.origin[0] + half, step); at <= x + size[0]; at += step) lines.push(`M${at} ${y}v${size[1]}`);
    for (let at = first(y, space.origin[1] + half, step); at <= y + size[1]; at += step) lines.push(`M${x} ${at}h${size[0]}`);
    return [s("rect", { ...rect, class: "floor" }), s("path", { d: lines.join(""), class: "grid" })];
  }

  hexes(space, box) {
    const tall = (space.cell * Math.sqrt(3)) / 2;
    const [rows, columns] = [Math.ceil(box.height / tall) + 1, Math.ceil(box.width / space.cell) + 1];
    if (rows * columns > 6000) return null;
    const corners = [[0, 2], [3, 1], [3, -1], [0, -2], [-3, -1], [-3, 1]];
    const made = [];
    for (let r = Math.ceil(box.top / tall); r * tall < box.top + box.height; r += 1) {
      for (let q = Math.ceil(box.left / space.cell - r / 2); (q + r / 2) * space.cell < box.left + box.width; q += 1) {
        made.push(`M${corners.map(([x, y]) => this.lay.shape([6 * q + 3 * r + x, 3 * r + y]).map((one) => one.toFixed(3)).join(" ")).join("L")}Z`);
      }
    }
    return s("path", { d: made.join(""), class: "grid" });
  }

  regions(space) {
    return space.regions.map((one) => {
      const isAir = this.table.named.air.has(one.kind);
      const name = isAir ? this.table.name("air", one.kind) : this.table.name("ground", one.kind);
      const shape = one.shape.map(this.lay.shape);
      return s("g", { class: isAir ? "air" : "soil" }, s("polygon", { points: line(shape) }), this.label(middle(shape), name, "place"));
    });
  }

  walls(space) {
    return space.walls.map((one) => {
      const [a, b] = [this.lay.shape(one.a), this.lay.shape(one.b)];
      const kind = one.open ? "open" : one.drop !== null && one.drop !== undefined && !one.move ? "drop" : one.sight ? "wall" : one.move ? "fence" : "cover";
      return s("line", { x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: `side ${kind}` }, s("title", {}, t(`wall_${kind}`)));
    });
  }

  zones() {
    return this.table.view.combatants.flatMap((body) => body.effects.filter((one) => one.area).map((one) =>
      s("g", { class: "zone" }, this.shape(one.area), s("title", {}, `${body.name}: ${one.name}`))));
  }

  shape(area) {
    if (area.kind === "polygon") return s("polygon", { points: line(area.points.map(this.lay.shape)) });
    const [x, y] = this.lay.place(area.centre);
    const arc = area.arc ?? 360;
    const reach = Math.max(area.reach, 0.15);
    if (arc >= 360) return s("circle", { cx: x, cy: y, r: reach });
    const at = (degrees) => { const turn = (degrees * Math.PI) / 180; return [x + reach * Math.sin(turn), y - reach * Math.cos(turn)]; };
    const [from, to] = [at((area.facing ?? 0) - arc / 2), at((area.facing ?? 0) + arc / 2)];
    return s("path", { d: `M${x} ${y}L${from.join(" ")}A${reach} ${reach} 0 ${arc > 180 ? 1 : 0} 1 ${to.join(" ")}Z` });
  }

  loose() {
    return this.table.view.combatants.flatMap((body) => Object.values(body.items).filter((one) => one.lies).map((one) => {
      const [x, y] = this.lay.place([one.lies.x, one.lies.y]);
      const r = 4 / this.scale;
      return s("g", { class: "loose" }, s("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, transform: `rotate(45 ${x} ${y})` }), s("title", {}, one.name));
    }));
  }

  get radius() { return Math.max(0.42 * Math.min(this.table.view.space.cell, 1), 10 / this.scale); }

  people() {
    const { table } = this;
    const targets = new Set(table.draft?.targets ?? []);
    const aims = new Set((table.draft && table.listed(table.draft.action)?.targets.filter((one) => one.available).map((one) => one.id)) ?? []);
    const shown = table.view.combatants.filter((one) => one.position);
    // The living over the fallen, and whoever acts on top.
    const depth = (one) => (one.status === "up" ? 1 : 0) + (one.id === table.actor || targets.has(one.id) ? 2 : 0);
    // Whose turn it is finds room for his name first.
    const named = [...shown].sort((a, b) => Number(b.is_turn) - Number(a.is_turn));
    const { box, scale } = this;
    const spots = named.map((body) => {
      const [x, y] = this.lay.place([body.position.x, body.position.y]);
      return { x: (x - box.left) * scale, y: (y - box.top) * scale, r: this.radius * scale, text: body.name };
    });
    const names = placed(spots, [box.width * scale, box.height * scale]).map((at, place) => at && this.text([box.left + at.x / scale, box.top + at.y / scale], named[place].name, 11, "name", 0, at.anchor));
    const tokens = [...shown].sort((a, b) => depth(a) - depth(b)).map((body) => {
      const at = this.lay.place([body.position.x, body.position.y]);
      const [x, y] = at;
      const r = this.radius;
      const classes = ["person", `side-${table.sideOf(body)}`, body.status, body.is_turn ? "turn" : "", targets.has(body.id) ? "target" : "", aims.has(body.id) ? "aim" : "", body.hidden ? "hidden" : ""];
      const wound = body.resources.find((one) => one.max !== null);
      const told = [body.name, body.side, body.status === "up" ? "" : t(`status_${body.status}`), wound ? `${wound.name} ${wound.value}/${wound.max}` : "", body.is_turn ? t("on_turn") : ""].filter(Boolean).join(", ");
      const press = (event) => { if (table.pick) return; event.stopPropagation(); this.chosen(body); };
      return s("g", { class: classes.filter(Boolean).join(" "), role: "button", tabindex: table.pick ? -1 : 0, "aria-label": told, "aria-pressed": aims.size ? String(targets.has(body.id)) : null, "data-key": `token.${body.id}`,
        onclick: press, onkeydown: (event) => { if ((event.key === "Enter" || event.key === " ") && !table.pick) { event.preventDefault(); press(event); } } },
      s("title", {}, told),
      body.position.facing === null || body.position.facing === undefined ? null
        : s("path", { class: "facing", d: `M${x} ${y - r * 1.55}l${r * 0.5} ${r * 0.75}h${-r}Z`, transform: `rotate(${body.position.facing} ${x} ${y})` }),
      s("circle", { cx: x, cy: y, r }),
      body.status === "up" ? null : s("path", { class: "cross", d: `M${x - r * 0.7} ${y - r * 0.7}l${r * 1.4} ${r * 1.4}m0 ${-r * 1.4}l${-r * 1.4} ${r * 1.4}` }),
      this.text([x, y], initials(body), r * this.scale * 0.95, "letters", r * this.scale * 0.34));
    });
    return [tokens, s("g", { "aria-hidden": "true" }, names)];
  }

  label(at, text, kind) { return this.text(at, text, 11, kind); }

  // Letters in pixels of the screen: browsers draw those of half a unit badly.
  text([x, y], text, size, kind, down = 0, anchor = "middle") {
    return s("text", { transform: `translate(${x} ${y}) scale(${1 / this.scale})`, dy: down, "font-size": size, class: kind, "text-anchor": anchor }, text);
  }

  // What the draft says: the way, the area, where he will look.
  draft() {
    const { draft } = this.table;
    const actor = this.table.body(this.table.actor);
    if (!draft) return null;
    const made = [];
    const from = actor?.position ? this.lay.place([actor.position.x, actor.position.y]) : null;
    const path = draft.path.map(this.lay.place);
    if (path.length) {
      made.push(s("polyline", { class: "way", points: line(from ? [from, ...path] : path) }));
      made.push(path.map(([x, y], place) => s("circle", { class: place === path.length - 1 ? "end" : "corner", cx: x, cy: y, r: (place === path.length - 1 ? 6 : 4) / this.scale })));
    }
    const area = draft.area;
    if (area.kind === "sector" && area.x !== "" && area.y !== "") made.push(s("g", { class: "zone drafted" }, this.shape({ kind: "sector", centre: [Number(area.x), Number(area.y)], reach: Number(area.reach || 0), facing: Number(area.facing || 0), arc: Number(area.arc || 360) })));
    if (area.kind === "polygon" && area.points.length) made.push(s("g", { class: "zone drafted" }, this.shape(area)));
    const stand = path.at(-1) ?? from;
    if (draft.facing !== "" && stand) {
      const far = 3 * this.radius;
      made.push(s("line", { class: "look", x1: stand[0], y1: stand[1], x2: stand[0], y2: stand[1] - far, transform: `rotate(${draft.facing} ${stand.join(" ")})` }));
    }
    return s("g", { class: "draft" }, made);
  }

  aim() {
    if (!this.table.pick || !this.cursor) return null;
    const [x, y] = this.lay.place(this.cursor);
    const r = 8 / this.scale;
    return s("path", { class: "cursor", d: `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}` });
  }

  // Picking

  chosen(body) {
    const { table } = this;
    const aims = table.draft && table.listed(table.draft.action)?.targets.find((one) => one.id === body.id);
    if (table.draft && aims) table.toggle(body.id);
    else if (table.isMine(body.id)) table.choose(body.id);
    else document.getElementById(`card-${body.id}`)?.scrollIntoView({ block: "nearest" });
  }

  spot(event, picture) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  clicked(event, picture) {
    if (this.table.pick) this.take(this.spot(event, picture));
  }

  take(spot) {
    const { table } = this;
    const { draft } = table;
    const point = this.lay.snap(spot);
    if (table.pick === "path") draft.path.push(point);
    else if (table.pick === "area") [draft.area.x, draft.area.y] = point;
    else if (table.pick === "corners") draft.area.points.push(this.lay.back(spot));
    else if (table.pick === "facing" || table.pick === "area_facing") {
      const actor = table.body(table.actor);
      const from = table.pick === "area_facing" && draft.area.x !== "" ? [Number(draft.area.x), Number(draft.area.y)] : draft.path.at(-1) ?? (actor?.position && [actor.position.x, actor.position.y]);
      if (from) {
        const degrees = String(bearing(this.lay.place(from), spot));
        if (table.pick === "facing") draft.facing = degrees; else draft.area.facing = degrees;
      }
    }
    if (table.pick !== "path" && table.pick !== "corners") table.pick = null;
    this.cursor = null;
    table.edited();
  }

  done() {
    const { pick } = this.table;
    this.table.pick = this.cursor = null;
    this.table.changed();
    document.querySelector(`[data-key="pick.${pick}"]`)?.focus({ preventScroll: true });
  }

  // The same with keys: arrows lead a cross over the map, Enter takes the place, Backspace the last one back.
  pressed(event) {
    const { table } = this;
    if (!table.pick) return;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (way) {
      const actor = table.body(table.actor);
      const start = this.cursor ?? table.draft.path.at(-1) ?? (actor?.position ? [actor.position.x, actor.position.y] : [0, 0]);
      const far = Math.max(this.lay.step, table.view.space.grid === "none" ? 1 : 0) * (event.shiftKey ? 5 : 1);
      this.cursor = [start[0] + way[0] * far, start[1] + way[1] * far].map((one) => Math.round(one * 100) / 100);
      this.say(this.cursor.map(number).join(", "));
      this.draw();
    } else if (event.key === "Enter" && this.cursor) {
      this.take(this.lay.place(this.cursor));
    } else if (event.key === "Backspace") {
      (table.pick === "corners" ? table.draft.area.points : table.draft.path).pop();
      table.edited();
    } else if (event.key === "Escape") {
      this.done();
    } else {
      return;
    }
    event.preventDefault();
  }
}

const first = (low, from, step) => from + Math.ceil((low - from) / step) * step;
const middle = (shape) => [shape.reduce((sum, one) => sum + one[0], 0) / shape.length, shape.reduce((sum, one) => sum + one[1], 0) / shape.length];

function hatch(scale) {
  const step = 8 / scale;
  return s("pattern", { id: "hatch", width: step, height: step, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, s("line", { x1: 0, y1: 0, x2: 0, y2: step, class: "hatch", "stroke-width": step / 3 }));
}

// Two letters by which somebody is found again: `Brok 2` is B2.
export function initials(body) {
  const [, name, count] = /^(.*?)\s*(\d{1,2})?$/u.exec(body.name);
  const letters = [...name];
  return count ? `${letters[0] ?? ""}${count}` : letters.slice(0, 2).join("");
}

function facts(table) {
  const name = (id) => table.body(id)?.name ?? "?";
  const rows = table.view.space.facts;
  if (!rows.length) return h("p", {}, t("no_facts"));
  const told = (fact) => [
    fact.distance === undefined ? "" : `${number(fact.distance)} ${table.rules.unit_name}`,
    fact.band === undefined ? "" : table.name("bands", fact.band),
    fact.sees === undefined ? "" : t(fact.sees ? "sees" : "sees_not"),
    fact.cover === undefined ? "" : fact.cover.hidden ? t("cover_of", { share: fact.cover.hidden }) : t("cover_none"),
    fact.bearing === undefined ? "" : `${fact.bearing}°`,
    fact.arc === undefined ? "" : table.name("arcs", fact.arc),
    fact.between === undefined ? "" : fact.between.map((one) => table.name("air", one)).join(", "),
  ].filter(Boolean).join(" · ");
  return h("ul", { class: "facts" }, rows.map((one) => h("li", {}, h("strong", {}, `${name(one.from)} → ${name(one.to)}`), " ", told(one))));
}
