// How the page reaches the host. Each way gives call(request), which answers what host/view answers, and on(changed, lost).

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
      const events = new EventSource("events");
      events.onmessage = () => changed();
      events.onerror = () => lost();
    },
  };
}

function answerOf(reply) {
  if (reply.error) throw new Error(reply.error);
  return reply;
}
