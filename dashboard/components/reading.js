// Trees and marked texts that Python wrote and escaped. Trees of one sentence scroll together.

const writtenTo = new WeakMap();

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".reading");
  if (!root || !data || writtenTo.get(root) === data.html) return;
  writtenTo.set(root, data.html);
  root.innerHTML = data.html;
  const frames = [...root.querySelectorAll(".together .scroll")];
  for (const frame of frames)
    frame.addEventListener("scroll", () => {
      for (const other of frames)
        if (Math.abs(other.scrollLeft - frame.scrollLeft) > 1) other.scrollLeft = frame.scrollLeft;
    });
}
