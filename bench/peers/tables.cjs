// A boardgame.io server with a fight of twenty: `node tables.cjs memory|DIR`. Says on which port it serves.
// node-persist 3.1.0 stands under its store on disk: later ones queue writes for up to a second, this is it at its best.
const { Server, FlatFile } = require("boardgame.io/server");

const HALF = 10;

function body(number) {
  const pools = { wounds: 60, fatigue: 0, fate: 2 };
  const items = { gun: { kind: "lasgun", ammo: 60 }, sword: { kind: "sword" } };
  return { name: `Fighter ${number}`, side: number < HALF ? "north" : "south", bs: 70, ag: 40, t: 3, pools, items };
}

const fight = {
  name: "fight",
  setup: () => ({ bodies: Object.fromEntries([...Array(2 * HALF).keys()].map((number) => [`b${number}`, body(number)])) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    attack: ({ G, random }, who, target) => {
      const shooter = G.bodies[who], victim = G.bodies[target];
      shooter.pools.fatigue = 0;
      const roll = random.Die(100);
      if (roll <= shooter.bs && random.Die(100) > victim.ag) {
        const through = Math.max(0, random.Die(10) + 3 - victim.t);
        victim.pools.wounds = victim.pools.wounds > through ? victim.pools.wounds - through : 60;
      }
    },
  },
};

const where = process.argv[2];
const db = where === "memory" ? undefined : new FlatFile({ dir: where, logging: false });
const server = Server({ games: [fight], db, origins: [/.*/] });
console.info = () => {};
const write = console.log;
console.log = () => {};
server.run({ port: 0, callback: () => {} }).then((running) => {
  write(`on http://127.0.0.1:${running.appServer.address().port}`);
});
process.on("SIGTERM", () => process.exit(0));
