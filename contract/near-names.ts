/** The names most similar to a mistyped one, best first: at most three, and only similar ones. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const typed = wanted.toLowerCase()
  return [...new Set(names)]
    .map((name) => ({ name, distance: distanceOf(typed, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 2)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** Edit distance; a name that starts with the typed text counts as near. */
function distanceOf(typed: string, name: string): number {
  if (typed.length > 1 && name.includes(typed)) return 1
  let previous = Array.from({ length: name.length + 1 }, (_, index) => index)
  for (let row = 0; row < typed.length; row += 1) {
    const current = [row + 1]
    for (let column = 1; column <= name.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (typed[row] === name[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[name.length] ?? 0
}
