/** Parts of a version of an environment, each at an address of its own, for who manages the environment. */
export const imageParts = ['packages', 'findings', 'provenance', 'compare'] as const
export type ImagePart = (typeof imageParts)[number]

export const isImagePart = (part: string | undefined): part is ImagePart =>
  (imageParts as readonly (string | undefined)[]).includes(part)

export interface PartSearch {
  /** Text that packages are searched for. */
  q?: string
  /** The version that is compared with. */
  with?: string
}

const textMaxLength = 200

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && value !== ''
    ? String(value).slice(0, textMaxLength)
    : undefined

/** The parts of an address, which anybody may have written. */
export function readPartSearch(search: Record<string, unknown>): PartSearch {
  const q = text(search.q)
  const other = text(search.with)
  return { ...(q !== undefined && { q }), ...(other !== undefined && { with: other }) }
}
