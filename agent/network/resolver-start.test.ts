import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { Resolver } from './resolver.ts'

const state = () => ({ lists: new Map(), shares: new Map(), recorded: new Map() })

it('a resolver that cannot be started is tried again, and its agent goes on', async () => {
  const errors: unknown[] = []
  const resolver = new Resolver(
    '/nowhere/resolver',
    { namespace: '/nowhere' },
    { ...state(), onError: (error) => errors.push(error) },
  )
  await eventually(() => expect(errors.length).toBeGreaterThan(1))
  await expect(resolver.record(2)).rejects.toMatchObject({ slug: 'network_list' })
  await resolver.stop()
  expect(errors[0]).toMatchObject({ code: 'ENOENT' })
})

it('the end of a sandbox does not wait for a resolver that never serves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'silent-resolver-'))
  const program = join(folder, 'resolver')
  await writeFile(program, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
  const resolver = new Resolver(program, { namespace: '/nowhere' }, { ...state(), onError: () => undefined })
  await expect(resolver.takeRecords(2)).rejects.toThrow('the resolver does not answer')
  await resolver.stop()
  await rm(folder, { recursive: true })
})
