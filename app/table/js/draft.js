// A submission as it is being filled in, and the body that is sent. Field names are the API's own.

// What lies ready in a hand comes first.
const READY = ["main", "both", "off"];
const readiest = (weapons, items) => [...weapons].sort((a, b) => rank(items[a]) - rank(items[b]));
const rank = (item) => { const place = READY.indexOf(item?.held); return place < 0 ? READY.length : place; };

export function emptyDraft(action, listed, info, items) {
  const aims = listed?.targets.filter((one) => one.available) ?? [];
  const open = listed?.types.filter((one) => one.available) ?? [];
  const draft = {
    action,
    type: open.length && !open.some((one) => one.type === listed.default_type) ? open[0].type : "",
    targets: [],
    weapon: "",
    second_weapon: "",
    path: [],
    facing: "",
    area: { kind: "", x: "", y: "", reach: "", facing: "", arc: "", points: [] },
    location: "",
    options: {},
    modifiers: {},
    gm: { value: "", reason: "" },
    said: {},
    shown: [],
    note: "",
    others: [],
  };
  // Foes stand first; of them whom it most likely strikes.
  const foes = aims.filter((one) => one.relation === aims[0].relation);
  if (info?.targets.min > 0 && aims.length) draft.targets = [foes.sort((a, b) => (b.chance ?? -1) - (a.chance ?? -1))[0].id];
  if (listed?.weapons.length === 1 || (listed?.weapons.length && listed.targets.length)) [draft.weapon, ...draft.others] = readiest(listed.weapons, items);
  return draft;
}

export const isBlank = (value) =>
  value === "" || value === null || value === undefined || (Array.isArray(value) && !value.length) ||
  (typeof value === "object" && !Array.isArray(value) && !Object.keys(value).length);

const figure = (text) => (text === "" || text === null || text === undefined ? undefined : Number(text));

function area(draft) {
  const given = draft.area;
  if (given.kind === "polygon" && given.points.length) return { kind: "polygon", points: given.points };
  if (given.kind !== "sector" || given.x === "" || given.y === "") return undefined;
  const made = { kind: "sector", centre: [Number(given.x), Number(given.y)], reach: Number(given.reach || 0) };
  if (given.facing !== "") made.facing = Number(given.facing);
  if (given.arc !== "") made.arc = Number(given.arc);
  return made;
}

export function clean(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isBlank(value)));
}

export function submission(table) {
  const draft = table.draft;
  const modifiers = Object.keys(draft.modifiers).filter((id) => draft.modifiers[id]).map((id) => ({ id }));
  if (draft.gm.value !== "") modifiers.push(clean({ id: "gm", value: Number(draft.gm.value), reason: draft.gm.reason }));
  const body = clean({
    type: draft.type,
    targets: draft.targets,
    weapon: draft.weapon,
    second_weapon: draft.second_weapon,
    path: draft.path,
    location: draft.location,
    options: clean(draft.options),
    modifiers,
    said: clean(Object.fromEntries(Object.entries(draft.said).map(([name, value]) => [name, saidValue(value)]))),
    note: draft.note,
  });
  const facing = figure(draft.facing);
  if (facing !== undefined) body.facing = facing;
  const zone = area(draft);
  if (zone) body.area = zone;
  return { actor: table.actor, action: draft.action, ...body };
}

// Of what is stated for each person only what was really said.
function saidValue(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return clean(value);
}
