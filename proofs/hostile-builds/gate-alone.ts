import { contextBounds } from '../../reader/formats/archive.ts'
import { sourceOf, tar } from '../../reader/formats/archive-fixtures.ts'
import { contextLimits } from '../../reader/process/archive-readers.ts'
import { ReaderProcess } from '../../reader/process/reader-process.ts'
import { startTestReader } from '../../testing/test-readers.ts'
import type { HostileArchive } from './archive-cases.ts'
import type { HostileDockerfile } from './dockerfile-cases.ts'

/** Runs every case through the gate in a reader process. Returns the cases that it did not refuse with their slug. */
export async function gateAlone(
  archives: HostileArchive[],
  dockerfiles: HostileDockerfile[],
): Promise<string[]> {
  const cases = [
    ...archives,
    ...dockerfiles.map(({ class: name, text, slug }) => ({
      name: `Dockerfile: ${name}: ${JSON.stringify(text)}`,
      format: 'tar' as const,
      bytes: tar({ name: 'Dockerfile', content: text }),
      slug,
    })),
  ]
  const reader = new ReaderProcess(startTestReader, contextLimits)
  const failures: string[] = []
  try {
    for (const { name, format, bytes, slug } of cases) {
      const job = { kind: 'context', format, byteSize: bytes.length, bounds: contextBounds } as const
      const verdict = await reader.runJob(job, sourceOf(bytes, 65_536))
      const got = verdict.kind === 'refused' ? verdict.refusal.slug : 'accepted'
      if (got !== slug) failures.push(`${name}: ${got} instead of ${slug}`)
    }
  } finally {
    reader.kill()
  }
  return failures
}
