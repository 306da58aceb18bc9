// As much of a browser as the script of a page needs: elements, events and a clock.
// It has no network. What a page asks for beyond this is an error.
"use strict";

class Event {
  constructor(type, fields = {}) {
    Object.assign(this, { type, prevented: false }, fields);
  }
  preventDefault() { this.prevented = true; }
}
const KeyboardEvent = Event;

class Element {
  constructor(tag, id = "", classes = [], text = "") {
    Object.assign(this, { tagName: tag, id, classes, children: [], style: { setProperty(name, value) { this[name] = value; } }, attributes: {} });
    Object.assign(this, { textContent: text, listeners: {} });
  }
  setAttribute(name, value) {
    if (/NaN|undefined|Infinity|null/.test(value)) throw new Error(`${name}=${value} of ${this.tagName}`);
    this.attributes[name] = String(value);
  }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  addEventListener(type, listener) { (this.listeners[type] ??= []).push(listener); }
  dispatchEvent(event) {
    event.target ??= this;
    for (const each of this.listeners[event.type] ?? []) each(event);
    if (event.bubbles && this !== document) document.dispatchEvent(event);
  }
  click() { this.dispatchEvent(new Event("click", { bubbles: true })); }
}

const document = new Element("#document");
Object.assign(document, {
  body: new Element("BODY"),
  elements: [],
  getElementById: (id) => document.elements.find((each) => each.id === id) ?? null,
  createElementNS: (space, tag) => new Element(tag),
  querySelectorAll: (selector) => {
    if (selector === "#picture > *") return document.getElementById("picture").children;
    return document.elements.filter((each) => each.classes.includes(selector.slice(1)));
  },
});

// The value of a slider is a text within its limits.
function slider(element) {
  let value = 0;
  Object.defineProperty(element, "value", {
    get: () => String(value),
    set: (given) => { value = Math.min(Math.max(Number(given), 0), Number(element.max)); },
  });
}

function build(found) {
  for (const [tag, id, classes, text] of found) {
    const element = new Element(tag.toUpperCase(), id, classes, text);
    if (tag === "input") slider(element);
    document.elements.push(element);
  }
}

// Timers run when a test lets time pass.
const timers = new Map();
const setInterval = (call, time) => { timers.set(timers.size + 1, call); return timers.size; };
const clearInterval = (timer) => timers.delete(timer);
const tick = () => { for (const call of [...timers.values()]) call(); };
