import type { SourceFile } from './source-files.ts'

type Edges = ReadonlyMap<string, readonly string[]>

export const fileEdges = (files: readonly SourceFile[], { typeOnly }: { typeOnly: boolean }): Edges =>
  new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter((to) => typeOnly || !to.typeOnly).map((to) => to.path),
    ]),
  )

/** Files that are loaded with one, itself included. */
export function loadedWith(start: string, edges: Edges): Set<string> {
  const loaded = new Set([start])
  for (const path of loaded) for (const next of edges.get(path) ?? []) loaded.add(next)
  return loaded
}

/** Groups of files that import each other in a circle, by Tarjan's algorithm. */
export function circles(edges: Edges): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (path: string): void => {
    index.set(path, index.size)
    low.set(path, index.get(path) ?? 0)
    stack.push(path)
    for (const next of edges.get(path) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(path, Math.min(low.get(path) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(path) !== index.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group)
  }
  for (const path of edges.keys()) if (!index.has(path)) visit(path)
  return found
}
