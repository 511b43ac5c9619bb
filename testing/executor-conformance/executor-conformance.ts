import { describe } from 'vitest'
import { capacityConformance } from './capacity-conformance.ts'
import { imageConformance } from './image-conformance.ts'
import { platformConformance } from './platform-conformance.ts'
import { resultConformance } from './result-conformance.ts'
import { sandboxConformance } from './sandbox-conformance.ts'
import type { ExecutorUnderTest } from './under-test.ts'

/** The conformance suite of the five ports, run for every executor. `get` is called inside each test. */
export function executorConformance(name: string, get: () => ExecutorUnderTest): void {
  describe(`${name} keeps the sandbox port`, () => {
    sandboxConformance(get)
  })
  describe(`${name} keeps the result port`, () => {
    resultConformance(get)
  })
  describe(`${name} keeps the image port`, () => {
    imageConformance(get)
  })
  describe(`${name} keeps the capacity port`, () => {
    capacityConformance(() => get().executor)
  })
  describe(`${name} keeps the platform port`, () => {
    platformConformance(() => get().executor)
  })
}
