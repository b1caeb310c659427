// The Python process of one session, and the JSON lines spoken with it.
//
// Nothing here throws into Pi or keeps it from ending: a process that is missing, dies, hangs or prints rubbish is
// given up with one warning, and whoever asked goes on without it.
import { spawn } from "node:child_process";

const FIRST_SIGN_WITHIN = 10_000;
const TAKEN_WITHIN = 5_000;
const ENDED_WITHIN = 600;
const LAST_WORDS_WITHIN = 100;
const LONG_SILENCE = 3_000;
const LONGEST_LINE = 64 * 1024 * 1024;
const KEPT_ERRORS = 2_000;
const MOST_UNKNOWN = 1_000;

/** The process was given up, or an exchange with it was: whoever asked goes on without an answer. */
export class NoAnswer extends Error {}

export class Bridge {
  /** `answers` are the process's own questions by method, `told` what it says by method; `warn` is told once. */
  constructor(command, answers, told, warn) {
    Object.assign(this, { command, answers, told, warn });
    this.pending = new Map();
    this.asked = 0;
    this.errors = "";
    this.rest = [];
    this.restLength = 0;
    this.isUp = false;
    this.isHeard = false;
    this.unknown = 0;
    this.isOver = false;
  }

  start() {
    try {
      const [program, ...words] = this.command;
      this.child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
      this.isUp = true;
      this.child.on("error", (error) => this.giveUp(error.message));
      // How it ended and its last words say more than a broken pipe, which is noticed first.
      const ended = (code, signal) => `it ended with ${signal ?? code}`;
      this.child.on("close", (code, signal) => this.giveUp(ended(code, signal)));
      this.child.on("exit", (code, signal) => this.giveUpSoon(ended(code, signal), LAST_WORDS_WITHIN));
      for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr])
        stream.on("error", (error) => this.giveUpSoon(error.message, 2 * LAST_WORDS_WITHIN));
      this.child.stdout.on("data", (chunk) => this.hear(chunk));
      this.child.stderr.on("data", (chunk) => (this.errors = (this.errors + chunk).slice(-KEPT_ERRORS)));
      this.hold();
    } catch (error) {
      this.giveUp(error.message);
    }
  }

  /** Says something that needs no answer. */
  tell(method, params) {
    this.write({ method, params });
  }

  /** Sees to it that a process that no longer listens is noticed, also where nobody asks it anything. */
  check() {
    this.ask("ping", {}, { within: FIRST_SIGN_WITHIN + TAKEN_WITHIN, holds: false }).catch(() => {});
  }

  /**
   * Asks and waits, within a time limit and until the signal; rejects with NoAnswer where there is none. Pi goes on
   * for as long as somebody waits, but for what does not hold it.
   */
  ask(method, params, { signal, within, holds = true }) {
    if (!this.isUp) return Promise.reject(new NoAnswer("the process is away"));
    if (signal?.aborted) return Promise.reject(new NoAnswer("called off"));
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        if (!this.pending.delete(id)) return;
        clearTimeout(limit);
        clearTimeout(notTaken);
        signal?.removeEventListener("abort", callOff);
        this.hold();
        settle(value);
      };
      const callOff = () => {
        this.write({ method: "cancel", params: { id } });
        end(reject, new NoAnswer("called off"));
      };
      const limit = setTimeout(() => {
        this.write({ method: "cancel", params: { id } });
        end(reject, new NoAnswer(`no answer within ${within / 1000} s`));
      }, within);
      const patience = this.isHeard ? TAKEN_WITHIN : FIRST_SIGN_WITHIN;
      const notTaken = setTimeout(() => this.giveUp("it does not answer"), Math.min(patience, within));
      if (!holds) for (const timer of [limit, notTaken]) timer.unref();
      signal?.addEventListener("abort", callOff, { once: true });
      this.pending.set(id, {
        holds,
        at: Date.now(),
        take: () => clearTimeout(notTaken),
        resolve: (value) => end(resolve, value),
        reject: (error) => end(reject, error),
      });
      this.hold();
      this.write({ id, method, params });
    });
  }

  /**
   * Lets the process end what it is at, answers its last questions, and makes sure that it is gone. One that was only
   * just started has nothing to end; one that has said nothing for long is told of.
   */
  async close() {
    if (!this.isUp) return;
    if (this.isHeard) await this.ask("close", {}, { within: ENDED_WITHIN }).catch(() => {});
    const waited = Math.max(...[...this.pending.values()].map(({ at }) => Date.now() - at));
    if (waited > LONG_SILENCE) this.giveUp("it does not answer");
    if (!this.isUp) return;
    this.isUp = false;
    this.isOver = true;
    this.child.stdin.end();
    this.child.kill();
  }

  giveUpSoon(why, within) {
    setTimeout(() => this.giveUp(why), within).unref();
  }

  giveUp(why) {
    if (this.isOver) return;
    this.isUp = false;
    this.isOver = true;
    this.child?.kill("SIGKILL");
    for (const { reject } of [...this.pending.values()]) reject(new NoAnswer(why));
    this.warn(`${why}${this.lastError()}`);
  }

  /** The last line that the process wrote to its standard error. */
  lastError() {
    const line = this.errors.trim().split("\n").at(-1);
    return line ? `: ${line.slice(0, 300)}` : "";
  }

  write(message) {
    if (!this.isUp) return;
    try {
      this.child.stdin.write(`${JSON.stringify(message)}\n`);
    } catch (error) {
      this.giveUp(error.message);
    }
  }

  hear(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0 && this.isUp; end = chunk.indexOf(10, start)) {
      this.rest.push(chunk.subarray(start, end));
      const line = Buffer.concat(this.rest).toString("utf8");
      this.rest = [];
      this.restLength = 0;
      start = end + 1;
      this.take(line);
    }
    if (!this.isUp) return;
    this.rest.push(chunk.subarray(start));
    this.restLength += chunk.length - start;
    if (this.restLength > LONGEST_LINE) this.giveUp("it says too much at once");
  }

  take(line) {
    let said;
    try {
      said = JSON.parse(line);
    } catch {
      said = null;
    }
    if (typeof said !== "object" || said === null) return this.giveUp("what it says is no JSON object");
    this.isHeard = true;
    if (said.method) this.serve(said);
    else if (said.taken) this.pending.get(said.id)?.take();
    else if (said.error) this.pending.get(said.id)?.reject(new NoAnswer(String(said.error)));
    else this.pending.get(said.id)?.resolve(said.result);
  }

  /** Does what the process asks of Pi, or takes note of what it says. */
  async serve({ id, method, params }) {
    try {
      if (id === undefined) {
        // A newer process may have words of its own, but no flood of them.
        if (Object.hasOwn(this.told, method)) await this.told[method](params);
        else if (++this.unknown > MOST_UNKNOWN) this.giveUp("it says what nobody understands");
        return;
      }
      if (!Object.hasOwn(this.answers, method)) throw new Error(`there is no ${method}`);
      const result = await this.answers[method](params);
      this.write({ id, result: result ?? null });
    } catch (error) {
      if (id !== undefined) this.write({ id, error: String(error?.message ?? error) });
    }
  }

  /** Keeps Pi from ending only while somebody waits for an answer. */
  hold() {
    const word = [...this.pending.values()].some(({ holds }) => holds) ? "ref" : "unref";
    for (const handle of [this.child, this.child?.stdin, this.child?.stdout, this.child?.stderr]) handle?.[word]?.();
  }
}
