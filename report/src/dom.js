// Elements. Text goes in as text and nowhere as markup: names come from files that are not trusted.

export function element(tag, className, text) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined && text !== null) e.textContent = text;
    return e;
}

export function append(parent, ...children) {
    for (const child of children) if (child) parent.appendChild(child);
    return parent;
}

export function button(label, title, onClick) {
    const b = element("button", "button", label);
    b.type = "button";
    b.title = title;
    b.setAttribute("aria-label", title);
    b.addEventListener("click", onClick);
    return b;
}

export function checkbox(label, checked, onChange) {
    const box = element("label", "check");
    const input = element("input");
    input.type = "checkbox";
    input.checked = checked;
    input.addEventListener("change", () => onChange(input.checked));
    return append(box, input, element("span", "", label));
}

// A labelled choice; options are [value, text].
export function choice(label, options, value, onChange) {
    const box = element("label", "choice");
    const select = element("select");
    for (const [optionValue, text] of options) {
        const o = element("option", "", text);
        o.value = optionValue;
        select.appendChild(o);
    }
    select.value = value;
    select.addEventListener("change", () => onChange(select.value));
    return append(box, element("span", "", label), select);
}
