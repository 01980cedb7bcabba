// A second process for the tests of two writers: append-many.mjs CORE FILE NAME COUNT
const [core, file, name, count] = process.argv.slice(2);
const { createIds, JsonlStorage, nodeFileSystem, openSession, systemClock } = await import(core);
const options = { fs: nodeFileSystem, clock: systemClock, ids: createIds(systemClock) };
const session = openSession(await JsonlStorage.open(file, options), options);
for (let i = 0; i < Number(count); i++) {
  await session.appendMessage({ role: "user", content: `${name} ${i}`, timestamp: i });
}
await session.ready();
const path = session.pathTo(session.getLeafId());
const mine = (await session.getEntries(path)).filter((entry) => entry.message?.content?.startsWith(`${name} `));
if (mine.length !== Number(count)) throw new Error(`${name} sees ${mine.length} of its own ${count} entries`);
await session.close();
