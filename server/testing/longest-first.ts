import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The test files that take longest, the longest first. Of most of them the size does not tell it. */
export const longest = [
  'server/builds/prefixes/prefixes.test.ts',
  'server/executor/oci/network/egress.test.ts',
  'server/builds/cache/build-cache.test.ts',
  'server/executor/oci/failing-disk.test.ts',
  'server/executor/oci/everyday.test.ts',
  'server/main/two-machines.test.ts',
]

const rank = ({ moduleId }: Pick<TestSpecification, 'moduleId'>): number => {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}`))
  return place === -1 ? longest.length : place
}

/** The same files with the longest at the front; the others keep their order. */
export const longestFirst = <File extends Pick<TestSpecification, 'moduleId'>>(files: File[]): File[] =>
  files.toSorted((one, other) => rank(one) - rank(other))

/** Starts the longest files first: one that starts last keeps one worker busy while the other has nothing left. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files))
  }
}
