// The history: the calls on the document and its checkpoints, earlier states, and actions such as undo and save.

// makeHistory uses shown(), which returns the shown answer or null, and refresh(), which loads it again.
function makeHistory(shown, refresh) {
  let past = null;
  const quoted = (s) => '"' + s.replace(/[\\"]/g, "\\$&") + '"';

  // showState shows the state after a number of ops.
  function showState(at) {
    past = shown() && at != shown().at ? at : null;
    refresh();
  }

  const showCurrent = () => showState(shown().at);

  // act runs an action after the earlier ones. A function gets the answer that is shown then, and returns the action. The host refuses
  // to undo and redo if the document has changed since it was shown.
  let acting = Promise.resolve();
  function act(action) {
    acting = acting.then(async () => {
      const text = typeof action == "function" ? shown() && action(shown()) : action;
      if (!shown() || !text) return;
      try {
        const {domain, name, revision} = shown();
        const done = await wire.call({do: "act", domain, name, revision, action: text});
        if (done.failed) throw new Error(done.text.trim().split("\n")[0].replace(/^! /, ""));
        past = null;
        await refresh();
      } catch (e) {
        showMessage(e.message);
      }
    });
  }

  function button(onclick, label) {
    const b = element("button", "", label);
    b.type = "button";
    b.onclick = onclick;
    return b;
  }

  // checkpoints returns the rows of the checkpoints after a number of ops.
  function checkpoints(at) {
    return shown().marks.filter((m) => m.at == at).map((m) => {
      const row = element("li", "flag");
      row.append(element("span", "", "⚑ " + m.name));
      if (m.at < shown().at) row.append(button(() => act("undo to:" + quoted(m.name)), "Undo to here"));
      return row;
    });
  }

  // moreOf returns how many ops of a call follow the first listed ones: "and 2 more", or "" for none.
  const moreOf = (c, listed) => c.count > listed ? "and " + (c.count - listed) + " more" : "";
  const nameOf = (c) => [c.ops[0], moreOf(c, 1)].join(" ").trim();
  const pastCall = () => past === null ? null : shown().calls.find((c) => c.at == past) || null;

  function callRow(c) {
    const row = element("li", (c.gone ? "gone" : "") + (c.at == shown().of ? " now" : "")), b = button(() => showState(c.at));
    b.append(element("code", "", c.ops[0]));
    if (c.count > 1) b.append(element("small", "", moreOf(c, 1)));
    b.title = [...c.ops, moreOf(c, c.ops.length)].join("\n").trim();
    if (c.at == shown().of) b.setAttribute("aria-current", "step");
    row.append(b);
    return row;
  }

  function firstRow() {
    const {of, before} = shown(), row = element("li", of == 0 ? "now" : "");
    const b = button(() => showState(0), before ? before + (before == 1 ? " earlier call" : " earlier calls") : "The beginning");
    b.disabled = before > 0;
    row.append(b);
    return row;
  }

  function draw() {
    const s = shown(), rows = [];
    if (s) {
      for (const c of s.calls.toReversed()) rows.push(...checkpoints(c.at), callRow(c));
      rows.push(...checkpoints(0), firstRow());
    }
    $("calls").replaceChildren(...rows);
    $("mark").hidden = !s;
    $("undo").disabled = !s || s.at == 0;
    $("redo").disabled = !s || !s.calls.some((c) => c.gone);
    $("save").disabled = !s || !s.save || !s.dirty;
    $("save").title = !s || s.save ? "Save to its file" : "The document has no file yet; the model can save it with a path";
    $("past").hidden = past === null;
    if (past === null) return;
    const call = pastCall();
    $("pasttext").textContent = call ? "After “" + call.ops[0] + "” " + moreOf(call, 1) : "At the beginning";
    $("here").textContent = past < s.at ? "Undo to here" : "Redo to here";
  }

  $("undo").onclick = () => act("undo batch");
  $("redo").onclick = () => act((s) => {
    const next = s.calls.find((c) => c.gone);
    return next && "redo " + (next.at - s.at);
  });
  $("save").onclick = () => act("save");
  $("back").onclick = showCurrent;
  $("here").onclick = () => act((s) => past !== null && (past < s.at ? "undo " + (s.at - past) : "redo " + (past - s.at)));
  $("mark").onsubmit = (e) => {
    e.preventDefault();
    const name = $("markname").value.trim();
    if (name) act("checkpoint " + quoted(name));
    $("markname").value = "";
  };

  return {
    draw, showCurrent, nameOf, moreOf, pastCall,
    // past returns how many ops the shown earlier state has, null for the current state.
    past: () => past,
    // reset makes the next load show the current state.
    reset() {
      past = null;
    },
  };
}
