// The load on it: `node moves.cjs PORT MATCHES WARM_S SECONDS`. Each match has one player on a socket of his own, who
// sends the next move when the last one came back. Prints moves a second and latencies in milliseconds.
const { io } = require("socket.io-client");

const [port, matches, warm, seconds] = process.argv.slice(2).map(Number);
const base = `http://127.0.0.1:${port}`;
const begin = performance.now() + warm * 1000, end = begin + seconds * 1000;
const found = [];

async function play(number) {
  const matchID = `match-${process.pid}-${number}`; // made by the first who asks for it
  const socket = io(`${base}/fight`, { transports: ["websocket"] });
  let turn = 0, sent = 0;
  return new Promise((done, failed) => {
    function next(state) {
      if (performance.now() >= end) {
        socket.close();
        return done();
      }
      const who = turn % 20, args = [`b${who}`, `b${(who + 10) % 20}`];
      const move = { type: "MAKE_MOVE", payload: { type: "attack", args, playerID: "0" } };
      turn += 1;
      sent = performance.now();
      socket.emit("update", move, state._stateID, matchID, "0");
    }
    socket.on("sync", (_, info) => next(info.state));
    socket.on("update", (_, state) => {
      const now = performance.now();
      if (sent >= begin && now <= end) found.push(now - sent);
      next(state);
    });
    socket.on("connect_error", failed);
    socket.emit("sync", matchID, "0", undefined, 1);
  });
}

Promise.all([...Array(matches).keys()].map(play)).then(() => {
  found.sort((a, b) => a - b);
  const at = (share) => found[Math.min(Math.floor(found.length * share), found.length - 1)];
  console.log(JSON.stringify({ rate: found.length / seconds, p50: at(0.5), p99: at(0.99) }));
});
