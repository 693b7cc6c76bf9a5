// How the page reaches the host. Each way gives call(request), which answers what host/view answers, and on(changed, lost), where changed is given the
// document that the page is about from then on, or null.

function browserWire() {
  return {
    async call(request) {
      let reply;
      try {
        reply = await fetch("api", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(request)});
      } catch {
        throw new Error("fcp-host does not answer");
      }
      if (!reply.ok) throw new Error("fcp-host answers " + reply.status);
      return answerOf(await reply.json());
    },
    on(changed, lost) {
      // A browser has six connections to a place, and a page that nobody sees needs none.
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

function answerOf(reply) {
  if (reply.error) throw new Error(reply.error);
  return reply;
}

// appWire speaks to the client whose window the page is shown in, as MCP Apps (SEP-1865) do: JSON-RPC by messages.
function appWire() {
  const waits = new Map();
  let last = 0, changed = () => {}, lost = () => {}, can = {};
  const send = (message) => parent.postMessage({jsonrpc: "2.0", ...message}, "*");
  const request = (method, params) => new Promise((done, fail) => {
    waits.set(++last, {done, fail});
    send({id: last, method, params});
  });
  const meet = (context) => {
    if (context?.theme) theme(context.theme);
  };
  addEventListener("message", (e) => {
    const m = e.data;
    if (e.source != parent || m?.jsonrpc != "2.0") return;
    if (!m.method) {
      const wait = waits.get(m.id);
      waits.delete(m.id);
      if (wait && m.error) wait.fail(new Error(m.error.message));
      else if (wait) wait.done(m.result);
    } else if (m.id !== undefined) {
      send(["ping", "ui/resource-teardown"].includes(m.method) ? {id: m.id, result: {}} : {id: m.id, error: {code: -32601, message: "the view has no " + m.method}});
    } else if (m.method == "ui/notifications/tool-result" || m.method == "ui/notifications/tool-cancelled") {
      const {domain, name} = m.params?._meta?.["fcp-host/document"] || {};
      changed(domain && name ? {domain, name} : null);
    } else if (m.method == "ui/notifications/host-context-changed") {
      meet(m.params);
    }
  });
  return {
    async call(what) {
      const {content} = await request("tools/call", {name: "fcp_view", arguments: what});
      const text = content.find((c) => c.type == "text").text;
      let reply;
      try {
        reply = JSON.parse(text);
      } catch {
        throw new Error(text);
      }
      return answerOf(reply);
    },
    async on(onChange, onLost) {
      changed = onChange;
      lost = onLost;
      try {
        const host = await request("ui/initialize", {appInfo: {name: "fcp-host", version: "1"}, appCapabilities: {availableDisplayModes: ["inline", "fullscreen"]}, protocolVersion: "2026-01-26"});
        can = host.hostCapabilities || {};
        meet(host.hostContext);
        send({method: "ui/notifications/initialized", params: {}});
        send({method: "ui/notifications/size-changed", params: {height: 560}});
        changed(null);
      } catch {
        lost();
      }
      document.addEventListener("visibilitychange", () => document.hidden || changed(null));
    },
    // selected puts what a person selected into the model's context, where the client can.
    selected(shown, name) {
      if (!can.updateModelContext || !shown) return false;
      const text = name ? "In the view of the " + shown.domain + " document " + shown.name + " the person selected: " + name : "";
      request("ui/update-model-context", {content: text ? [{type: "text", text}] : []}).catch((e) => tell(e.message));
      return true;
    },
  };
}
