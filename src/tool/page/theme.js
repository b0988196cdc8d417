// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: of the report and of the time line.

// Dark if the system is, until the reader says otherwise. Some browsers keep nothing for pages from files.
class Theme {
    constructor() {
        this.style = document.getElementById("dark");
        this.system = window.matchMedia("(prefers-color-scheme: dark)");
        this.button = element("button", {type: "button", id: "theme"}, "Dark");
        this.button.addEventListener("click", () => this.choose(this.is_dark() ? "light" : "dark"));
        this.system.addEventListener("change", () => this.show());
        this.choice = this.stored();
        this.show();
    }

    stored() {
        try {
            return localStorage.getItem("tare-theme");
        } catch (refused) {
            return null;
        }
    }

    choose(choice) {
        this.choice = choice;
        try {
            localStorage.setItem("tare-theme", choice);
        } catch (refused) {
            // it holds for this page, then
        }
        this.show();
    }

    is_dark() { return this.choice ? this.choice === "dark" : this.system.matches; }

    show() {
        this.style.media = this.is_dark() ? "screen" : "not all";
        this.button.setAttribute("aria-pressed", this.is_dark());
    }
}
