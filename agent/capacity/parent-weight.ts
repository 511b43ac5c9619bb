import type { CgroupLayout } from '../host/cgroup-layout.ts'
import { changeNow, weightText } from './group-files.ts'

/** Beyond this share the weight does not grow, so that many owners leave the service its part. */
const maxShare = 2

/**
 * The weight that all sandboxes and all shims have against the processes of the service, which are outside of their groups. The kernel
 * gives a group the weight of a single process, however many sandboxes are in it: then the short run of one owner waits for
 * the service whenever another owner keeps the service busy. So the two parents of all groups have the weights of the owners that have
 * sandboxes, together: two owners without much recent use weigh about as much as the service, and owners that compute for long less.
 */
export class ParentWeight {
  readonly #files: readonly string[]
  readonly #whole: number
  #value = ''

  /** `files`: those of the two parents. */
  constructor(version: CgroupLayout['version'], files: readonly string[]) {
    this.#files = files
    this.#whole = wholeWeights[version]
  }

  /** `share`: in weights of an owner without recent use. */
  set(share: number): void {
    const value = weightText(this.#whole * Math.min(maxShare, share))
    if (value === this.#value) return
    this.#value = value
    for (const file of this.#files) changeNow(file, value)
  }
}

/**
 * Version 1 has processes of the service beside the parents, each session of them with three times the default of 1024
 * (`server/base/priority/session-priority.ts`). Version 2 has a group of the whole service beside them, with the default of 100. With
 * twice these weights, sign-ins and submissions wait twice as long beside an owner that takes everything (`npm run neighbours`).
 */
const wholeWeights = { 1: 2048, 2: 48 } as const
