import { present, textIn } from '../../data/search-values.ts'

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

/** The parts of an address, which anybody may have written. */
export const readPartSearch = (search: Record<string, unknown>): PartSearch =>
  present({ q: textIn(search.q), with: textIn(search.with) })
