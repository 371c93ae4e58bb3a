// From places of the API to places of the picture and back. On hexes places are axial and shapes lie in the hex plane.
const ROOT = Math.sqrt(3);

export function plane(space, metric) {
  const cell = space.cell;
  if (space.grid === "hex") {
    const shape = ([x, y]) => [(x * cell) / 6, (y * cell * ROOT) / 6];
    const place = ([q, r]) => shape([6 * q + 3 * r, 3 * r]);
    return { shape, place, snap: (point) => hex(point, cell), back: ([x, y]) => [round((x * 6) / cell), round((y * 6) / (cell * ROOT))], step: 1 };
  }
  const same = (point) => point;
  const [left, top] = space.origin;
  const step = space.grid === "square" ? cell : metric === "euclid" ? 0.5 : 1;
  const from = space.grid === "square" ? [left, top] : [0, 0];
  const snap = ([x, y]) => [round(from[0] + Math.round((x - from[0]) / step) * step), round(from[1] + Math.round((y - from[1]) / step) * step)];
  return { shape: same, place: same, snap, back: ([x, y]) => [round(x), round(y)], step };
}

const round = (value) => Math.round(value * 100) / 100;

// The hex whose centre is nearest: cube coordinates rounded, the worst of the three taken from the others.
function hex([x, y], cell) {
  const r = (y * 2) / (cell * ROOT);
  const q = x / cell - r / 2;
  let [a, b, c] = [Math.round(q), Math.round(r), Math.round(-q - r)];
  const [da, db, dc] = [Math.abs(a - q), Math.abs(b - r), Math.abs(c + q + r)];
  if (da > db && da > dc) a = -b - c;
  else if (db > dc) b = -a - c;
  return [a || 0, b || 0];
}

// Degrees from one point of the picture to another: 0 up, clockwise.
export const bearing = ([x, y], [a, b]) => (Math.round((Math.atan2(a - x, y - b) * 180) / Math.PI) + 360) % 360;

// What the picture must hold: the map's own size, or everybody and everything on it.
export function bounds(space, bodies, lay) {
  const spots = bodies.filter((one) => one.position).map((one) => lay.place([one.position.x, one.position.y]));
  if (space.size) spots.push([0, 0], space.size);
  for (const wall of space.walls) spots.push(lay.shape(wall.a), lay.shape(wall.b));
  for (const region of space.regions) spots.push(...region.shape.map(lay.shape));
  if (!spots.length) spots.push([0, 0], [10, 10]);
  const edge = Math.max(space.grid === "none" ? 0.5 : space.cell * 0.75, space.size ? 0 : 1);
  const [xs, ys] = [spots.map((one) => one[0]), spots.map((one) => one[1])];
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
  return { left, top, width: Math.max(...xs) + edge - left, height: Math.max(...ys) + edge - top };
}
