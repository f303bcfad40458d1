// Slack by others: the npm package `emulate`, with what its command line cannot set.
//
//   node emulate_slack.mjs PACKAGE_FOLDER PORT SEED_JSON
//
// 1. Event subscriptions: `POST /_world/subscribe {"url": …}`; events are signed by the package itself.
// 2. What an onlooker of the server sees: `GET /_world/requests` (method and token of every call), `GET /_world/ephemeral`.
// 3. Fields that Slack's answers have and the package's lack: `conversations.info` and `users.info` say that nothing is
//    shared and nobody a guest, but for what `POST /_world/outsiders {"channels": […], "users": […]}` names; and
//    `auth.test` with the header of granted scopes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, port, seed] = process.argv.slice(2);
const dist = join(folder, "dist");
const load = (name) => import(pathToFileURL(join(dist, name)).href);
const file = readdirSync(dist).find(
  (name) => name.startsWith("dist-") && name.endsWith(".js") && readFileSync(join(dist, name), "utf8").includes("slackPlugin"),
);
const { slackPlugin, getSlackStore } = await load(file);
const { createEmulator } = await load("api.js");

const requests = [];
const outsiders = { channels: [], users: [] };
const register = slackPlugin.register;
const added = {
  "/api/conversations.info": (body) => ({
    ...body,
    channel: { ...body.channel, is_ext_shared: outsiders.channels.includes(body.channel.id), is_org_shared: false, is_pending_ext_shared: false },
  }),
  "/api/users.info": (body) => ({
    ...body,
    user: { ...body.user, is_restricted: outsiders.users.includes(body.user.id), is_ultra_restricted: false },
  }),
};

slackPlugin.register = (app, store, webhooks, baseUrl, tokens) => {
  app.use("*", async (c, next) => {
    const path = new URL(c.req.url).pathname;
    if (path.startsWith("/api/") || path.startsWith("/upload/")) {
      requests.push({ path: path.replace("/api/", ""), token: (c.req.header("Authorization") ?? "").replace("Bearer ", "") });
    }
    if (!(path in added) || c.req.header("x-world")) return next();
    const request = new Request(c.req.url, { method: "POST", headers: { ...c.req.header(), "x-world": "1" }, body: await c.req.text() });
    requests.pop(); // it is counted when it comes again
    const body = await (await app.fetch(request)).json();
    return c.json(body.ok ? added[path](body) : body);
  });
  register(app, store, webhooks, baseUrl, tokens);
  app.post("/_world/subscribe", async (c) => {
    const { url } = await c.req.json();
    webhooks.register({ url, events: ["*"], active: true, owner: "slack" });
    return c.json({ ok: true });
  });
  app.post("/_world/unsubscribe", (c) => {
    for (const hook of webhooks.getSubscriptions("slack")) webhooks.unregister(hook.id);
    return c.json({ ok: true });
  });
  app.post("/_world/outsiders", async (c) => c.json(Object.assign(outsiders, await c.req.json())));
  app.get("/_world/requests", (c) => c.json(requests));
  app.get("/_world/ephemeral", (c) => c.json(getSlackStore(store).ephemeralMessages.all()));
};

const emulator = await createEmulator({ service: "slack", port: Number(port), baseUrl: `http://127.0.0.1:${port}`, seed: { slack: JSON.parse(seed) } });
console.log(JSON.stringify({ url: emulator.url }));
