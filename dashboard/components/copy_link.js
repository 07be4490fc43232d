// Copy an address; where the browser forbids that, show it in a field, selected.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".copy");
  const button = Object.assign(document.createElement("button"), { textContent: "Copy link" });
  button.type = "button";
  const field = Object.assign(document.createElement("input"), { readOnly: true, hidden: true });
  field.setAttribute("aria-label", "Link to this view");
  const said = Object.assign(document.createElement("span"), { role: "status" });
  root.replaceChildren(button, field, said);
  button.onclick = async () => {
    field.value = new URL(data.href ?? "", window.location.href).href;
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copied";
    } catch {
      field.hidden = false;
      field.select();
    }
  };
}
