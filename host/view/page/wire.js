// The connection to the host: call(request) returns the answer of host/view; on(changed, lost) calls changed at each change and lost
// when the connection fails. If changed gets a document, the page shows that one from then on.

// browserWire uses HTTP requests to the page's own address.
function browserWire() {
  return {
    async call(request) {
      let reply;
      try {
        reply = await fetch("api", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(request)});
      } catch {
        throw new Error("fcp-host does not answer");
      }
      if (!reply.ok) throw new Error("fcp-host answers with status " + reply.status);
      return checkAnswer(await reply.json());
    },
    on(changed, lost) {
      // A browser allows six connections to a server, so a hidden page closes its connection.
      let events = null;
      const listen = () => {
        if (document.hidden) {
          events?.close();
          events = null;
        } else if (!events) {
          events = new EventSource("events");
          events.onmessage = () => changed(null);
          events.onerror = () => lost();
        }
      };
      document.addEventListener("visibilitychange", listen);
      listen();
    },
  };
}

function checkAnswer(reply) {
  if (reply.error) throw new Error(reply.error);
  return reply;
}

// appWire exchanges JSON-RPC messages with the MCP client that embeds the page, as MCP Apps (SEP-1865) define them.
function appWire() {
  const pending = new Map(); // requests without a response, by id
  let last = 0, changed = () => {}, lost = () => {}, capabilities = {};
  const send = (message) => parent.postMessage({jsonrpc: "2.0", ...message}, "*");
  const request = (method, params) => new Promise((resolve, reject) => {
    pending.set(++last, {resolve, reject});
    send({id: last, method, params});
  });
  const applyContext = (context) => {
    if (context?.theme) setTheme(context.theme);
  };
  addEventListener("message", (e) => {
    const m = e.data;
    if (e.source != parent || m?.jsonrpc != "2.0") return;
    if (!m.method) {
      const waiting = pending.get(m.id);
      pending.delete(m.id);
      if (waiting && m.error) waiting.reject(new Error(m.error.message));
      else if (waiting) waiting.resolve(m.result);
    } else if (m.id !== undefined) {
      send(["ping", "ui/resource-teardown"].includes(m.method) ? {id: m.id, result: {}} : {id: m.id, error: {code: -32601, message: "unknown method " + m.method}});
    } else if (m.method == "ui/notifications/tool-result" || m.method == "ui/notifications/tool-cancelled") {
      const {domain, name} = m.params?._meta?.["fcp-host/document"] || {};
      changed(domain && name ? {domain, name} : null);
    } else if (m.method == "ui/notifications/host-context-changed") {
      applyContext(m.params);
    }
  });
  return {
    async call(args) {
      const {content} = await request("tools/call", {name: "fcp_view", arguments: args});
      const text = content.find((c) => c.type == "text").text;
      let reply;
      try {
        reply = JSON.parse(text);
      } catch {
        throw new Error(text);
      }
      return checkAnswer(reply);
    },
    async on(onChange, onLost) {
      changed = onChange;
      lost = onLost;
      try {
        const client = await request("ui/initialize", {appInfo: {name: "fcp-host", version: "1"}, appCapabilities: {availableDisplayModes: ["inline", "fullscreen"]}, protocolVersion: "2026-01-26"});
        capabilities = client.hostCapabilities || {};
        applyContext(client.hostContext);
        send({method: "ui/notifications/initialized", params: {}});
        send({method: "ui/notifications/size-changed", params: {height: 560}});
        changed(null);
      } catch {
        lost();
      }
      document.addEventListener("visibilitychange", () => document.hidden || changed(null));
    },
    // shareSelection puts the selection into the model's context. It returns false if the client does not support that.
    shareSelection(shown, name) {
      if (!capabilities.updateModelContext) return false;
      const text = name ? "In the view of the " + shown.domain + " document " + shown.name + " the person selected: " + name : "";
      request("ui/update-model-context", {content: text ? [{type: "text", text}] : []}).catch((e) => showMessage(e.message));
      return true;
    },
  };
}
