// From the disk a browser starts no workers.  There the search, which is one, runs in a hidden frame of the page.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = Object.assign(document.createElement("iframe"), { hidden: true });
      document.documentElement.append(frame);
      const inner = frame.contentWindow;
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.deliver = (data) => inner.dispatchEvent(new inner.MessageEvent("message", { data }));
      const script = Object.assign(inner.document.createElement("script"), { src: new URL(address, location.href).href });
      script.addEventListener("load", () => {
        this.waiting.forEach(this.deliver);
        this.waiting = null;
      });
      inner.document.head.append(script);
      this.frame = frame;
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.deliver(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
