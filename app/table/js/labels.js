// Where names stand on the map: beside their token, over no other token and no other name.
const HIGH = 12;
const LETTER = 6.4;

// `spots` are {x, y, r, text} in pixels, `size` the picture's; gives {x, y, anchor} of each, null where there is no room.
export function placed(spots, size) {
  const taken = spots.map(({ x, y, r }) => [x - r, y - r, x + r, y + r]);
  return spots.map(({ x, y, r, text }, place) => {
    const wide = LETTER * [...text].length;
    const ways = [[0, r + HIGH, "middle"], [0, -r - 4, "middle"], [r + 4, 4, "start"], [-r - 4, 4, "end"], [r, r + 8, "start"], [-r, r + 8, "end"], [r, -r, "start"], [-r, -r, "end"]];
    for (const [dx, dy, anchor] of ways) {
      const left = x + dx - (anchor === "middle" ? wide / 2 : anchor === "end" ? wide : 0);
      const box = [left, y + dy - HIGH + 2, left + wide, y + dy + 2];
      const isIn = box[0] >= 0 && box[1] >= 0 && box[2] <= size[0] && box[3] <= size[1];
      if (!isIn || taken.some((one, other) => other !== place && one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) continue;
      taken.push(box);
      return { x: x + dx, y: y + dy, anchor };
    }
    return null;
  });
}
