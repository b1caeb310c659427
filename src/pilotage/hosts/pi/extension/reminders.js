// Reminders on their way to the agent: they go along with the next request that is made anyway (spec R4).

export class Reminders {
  constructor() {
    this.waiting = [];
  }

  add({ customType, content, details }) {
    this.waiting.push({ type: "custom_message", customType, content, details, display: true });
  }

  /** All that wait, as entries that Pi writes before its next request. */
  take() {
    return this.waiting.splice(0);
  }

  /** A new input, another branch or a cancelled run: what waits is too late. */
  withdraw() {
    this.waiting.length = 0;
  }
}
