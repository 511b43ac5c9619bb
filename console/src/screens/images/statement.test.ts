import { expect, test } from 'vitest'
import { statementIn } from './statement.ts'

const resource = (name: string, digit: string) => ({ name, digest: { sha256: digit.repeat(64) } })

const written = {
  subject: [resource('ver_1', '1')],
  predicate: {
    buildDefinition: {
      internalParameters: { runner_release: 'runner-1' },
      resolvedDependencies: [
        resource('context', '2'),
        resource('context.canonical', '3'),
        resource('docker.io/library/größe:12', '4'),
        resource('docker.io/library/größe:12 index', '5'),
        resource('base.layer bld_1', '6'),
        resource('stage.2.prefix bld_2', '7'),
      ],
    },
    runDetails: {
      builder: { id: 'http://localhost', version: { buildah: '1.28', 'sandbox-jobs': '1.0' } },
      metadata: {
        invocationId: 'bld_3',
        finishedOn: '2026-11-30T10:01:00.000Z',
      },
    },
  },
}

const envelopeOf = (statement: unknown) => ({
  payload: btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(statement)))),
})

test('base images are distinguished from the archive and from earlier builds', () => {
  const { image, archive, content, bases, earlier, tools } = statementIn(envelopeOf(written))
  expect(image).toEqual({ name: 'ver_1', digest: `sha256:${'1'.repeat(64)}` })
  expect(archive).toBe(`sha256:${'2'.repeat(64)}`)
  expect(content).toBe(`sha256:${'3'.repeat(64)}`)
  expect(bases).toEqual([{ name: 'docker.io/library/größe:12', digest: `sha256:${'4'.repeat(64)}` }])
  expect(earlier.map(({ name }) => name)).toEqual(['base.layer bld_1', 'stage.2.prefix bld_2'])
  expect(tools).toBe('buildah 1.28, sandbox-jobs 1.0')
})
