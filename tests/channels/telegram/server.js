// telegram-test-api (npm) with what it lacks, put before its own routes. What is written here is ours, not proof by others:
//   getMe with `is_bot` · getUpdates with offset and waiting · answers of sendMessage and editMessageText as messages
//   groups, and who is in them · sendDocument, setMessageReaction, sendChatAction · edits by people · the secret of webhooks
// The storage of messages, their ids, the clients' doors and the calls of webhooks are the server's own.
// Usage: node server.js FOLDER_OF_NODE_MODULES PORT

const { createRequire } = require('module');
const load = createRequire(process.argv[2] + '/');
const axios = load('axios');
const TelegramServer = load('telegram-test-api').default || load('telegram-test-api');
const { routes } = load('telegram-test-api/lib/routes/index');

const bots = {};
const chats = {};
const requests = [];
const marks = [];
const hooks = [];

const no = (res, code, description, more = {}) =>
  res.status(code).json({ ok: false, error_code: code, description, ...more });
const yes = (res, result) => res.json({ ok: true, result });
const parsed = (value) => (typeof value === 'string' ? JSON.parse(value) : value);

function multipart(type, body) {
  const boundary = '--' + /boundary=([^;]+)/.exec(type)[1];
  const found = {};
  for (const part of body.toString('latin1').split(boundary).slice(1, -1)) {
    const at = part.indexOf('\r\n\r\n');
    const head = Buffer.from(part.slice(0, at), 'latin1').toString();
    const content = Buffer.from(part.slice(at + 4, -2), 'latin1');
    const name = / name="([^"]*)"/.exec(head)[1];
    const file = /filename="([^"]*)"/.exec(head);
    found[name] = file ? { file_name: file[1], content: content.toString('base64') } : content.toString();
  }
  return found;
}

routes.unshift((app, server) => {
  app.use((req, res, next) => {
    if (!String(req.headers['content-type']).startsWith('multipart/')) return next();
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      req.body = multipart(req.headers['content-type'], Buffer.concat(chunks));
      next();
    });
  });

  app.use((req, res, next) => {
    const call = /^\/bot([^/]+)\/(\w+)$/.exec(req.path);
    if (!call) return next();
    const bot = bots[call[1]];
    requests.push({ bot: bot ? bot.id : null, method: call[2] });
    req.bot = bot;
    return bot ? next() : no(res, 401, 'Unauthorized');
  });

  const method = (name, handler) =>
    app.all('/bot:token/' + name, (req, res) => handler({ ...req.query, ...req.body }, res, req));

  method('getMe', (_, res, req) => yes(res, { ...req.bot, is_bot: true }));

  method('getUpdates', async (asked, res, req) => {
    const offset = Number(asked.offset || 0);
    const others = () => server.storage.userMessages.filter((each) => each.botToken !== req.params.token);
    const mine = () => server.storage.userMessages.filter((each) => each.botToken === req.params.token);
    const kept = offset < 0 ? mine().slice(offset) : mine().filter((each) => each.updateId >= offset);
    server.storage.userMessages = [...others(), ...kept];
    const end = Date.now() + Number(asked.timeout || 0) * 1000;
    while (!mine().length && Date.now() < end && !req.socket.destroyed) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    yes(res, mine().slice(0, 100).map(TelegramServer.formatUpdate));
  });

  const chatOf = (asked, res) => {
    const chat = chats[asked.chat_id];
    if (!chat) no(res, 400, 'Bad Request: chat not found');
    else if (chat.kicked) no(res, 403, 'Forbidden: bot was kicked from the supergroup chat');
    else return chat;
    return null;
  };
  const described = ({ id, type, title, username, first_name }) => ({ id, type, title, username, first_name });
  const message = (req, chat, id, said) => ({
    message_id: id,
    from: { ...req.bot, is_bot: true },
    chat: described(chat),
    date: Math.floor(Date.now() / 1000),
    ...said,
  });
  const kept = (id) => server.storage.botMessages.find((each) => each.messageId === Number(id));

  method('sendMessage', (asked, res, req) => {
    const chat = chatOf(asked, res);
    if (!chat) return;
    if (!asked.text) return no(res, 400, 'Bad Request: message text is empty');
    if (asked.text.length > 4096) return no(res, 400, 'Bad Request: message is too long');
    const sent = server.addBotMessage({ ...asked }, req.params.token);
    yes(res, message(req, chat, sent.message_id, { text: sent.text }));
  });

  method('editMessageText', (asked, res, req) => {
    const chat = chatOf(asked, res);
    if (!chat) return;
    const found = kept(asked.message_id);
    if (!found || String(found.message.chat_id) !== String(asked.chat_id)) {
      return no(res, 400, 'Bad Request: message to edit not found');
    }
    if (asked.text.length > 4096) return no(res, 400, 'Bad Request: MESSAGE_TOO_LONG');
    marks.push({ method: 'editMessageText', chat: asked.chat_id, id: asked.message_id, text: asked.text });
    // an edit that changes nothing is refused; its text stands there all the same
    if (found.message.text === asked.text) {
      return no(res, 400, 'Bad Request: message is not modified: specified new message content is exactly the same');
    }
    server.editMessageText({ ...asked });
    yes(res, message(req, chat, found.messageId, { text: asked.text, edit_date: Math.floor(Date.now() / 1000) }));
  });

  method('sendDocument', (asked, res, req) => {
    const chat = chatOf(asked, res);
    if (!chat) return;
    if ((asked.caption || '').length > 1024) return no(res, 400, 'Bad Request: message caption is too long');
    const sent = server.addBotMessage({ ...asked }, req.params.token);
    const file = { file_id: 'file', file_unique_id: 'file', file_name: asked.document.file_name };
    yes(res, message(req, chat, sent.message_id, { caption: asked.caption, document: file }));
  });

  method('setMessageReaction', (asked, res) => {
    if (!chatOf(asked, res)) return;
    const [mark] = parsed(asked.reaction);
    marks.push({ method: 'setMessageReaction', chat: asked.chat_id, id: asked.message_id, text: mark.emoji });
    yes(res, true);
  });

  method('sendChatAction', (asked, res) => {
    if (!chatOf(asked, res)) return;
    marks.push({ method: 'sendChatAction', chat: asked.chat_id, id: '', text: '' });
    yes(res, true);
  });

  method('getChat', (asked, res) => {
    const chat = chatOf(asked, res);
    if (chat) yes(res, { ...described(chat), linked_chat_id: chat.linked_chat_id });
  });
  method('getChatMemberCount', (asked, res) => {
    const chat = chatOf(asked, res);
    if (chat) yes(res, chat.members.length);
  });
  method('getChatMember', (asked, res) => {
    const chat = chatOf(asked, res);
    if (!chat) return;
    const status = chat.members.includes(Number(asked.user_id)) ? 'member' : 'left';
    yes(res, { status, user: { id: Number(asked.user_id), is_bot: false, first_name: 'Somebody' } });
  });
  method('getWebhookInfo', (_, res, req) => {
    const hook = server.webhooks[req.params.token];
    yes(res, { url: hook ? hook.url : '', has_custom_certificate: false, pending_update_count: 0 });
  });

  const set = server.setWebhook.bind(server);
  server.setWebhook = (hook, token) => {
    hooks.push({ token, ...hook });
    set(hook, token);
  };
  const original = TelegramServer.formatUpdate;
  TelegramServer.formatUpdate = (update) => {
    const { botToken, ...said } = update.message || {};
    if (!update.kind) return original({ ...update, message: said });
    return { update_id: update.updateId, [update.kind]: { ...said, message_id: update.messageId } };
  };
  const pushed = server.addUserUpdate.bind(server);
  server.addUserUpdate = async (update) => {
    const hook = server.webhooks[update.botToken];
    if (!hook || !hook.secret_token) return pushed(update);
    const headers = { 'X-Telegram-Bot-Api-Secret-Token': hook.secret_token };
    await axios({ url: hook.url, method: 'POST', data: TelegramServer.formatUpdate(update), headers });
    server.updateId += 1;
  };

  // --- what the tests ask of the server, beside the clients' doors of its own

  app.post('/shim/bot', (req, res) => {
    bots[req.body.token] = req.body.bot;
    yes(res, true);
  });
  app.post('/shim/chat', (req, res) => {
    chats[req.body.id] = { ...chats[req.body.id], ...req.body };
    yes(res, true);
  });
  app.post('/shim/say', async (req, res) => {
    const id = server.messageId;
    await server.addUserMessage(req.body);
    yes(res, id);
  });
  app.post('/shim/update', async (req, res) => {
    const { botToken, kind, messageId, message: said } = req.body;
    await server.addUserUpdate({ ...server.getCommonFields(botToken), kind, messageId, message: { ...said, botToken } });
    yes(res, server.updateId - 1);
  });
  app.get('/shim/requests', (req, res) => yes(res, requests));
  app.get('/shim/hooks', (req, res) => yes(res, hooks));
  app.get('/shim/marks', (req, res) => yes(res, marks));
});

const server = new TelegramServer({ port: Number(process.argv[3]), host: '127.0.0.1', storeTimeout: 3600 });
server.start().then(() => console.log('running'));
