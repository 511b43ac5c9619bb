import { createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  SecretBinding,
  SecretOperation,
} from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addressBody,
  encrypted,
  SecretSteps,
  transitKey,
} from '../../../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { TransitKeys } from '../../../base/keys/transit-keys.ts'
import { openSealed } from '../../../secrets/store/sealed-value.ts'
import { findValues } from '../../../secrets/store/secret-value-store.ts'

/* Every row of the contract's "Secret write validation errors" (part 2), for a create and for a rotate. */

const { db } = await createTestDatabase()
const api = new TestApi(db)
const secrets = new SecretSteps(api)
const { tasks } = api
let tenant: Tenant
let taskId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  taskId = (await tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
  await tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: tenant.roomId })
})

const ofRoom = (slot = 'TOKEN') => addressBody({ scope: 'chatroom', id: tenant.roomId, taskId, slot })
const write = async (route: Route, { body }: { body: Record<string, unknown> }) => {
  const envelope = 'encrypted_value' in body ? {} : { encrypted_value: await encrypted('a value') }
  return secrets.call<SecretOperation & { detail?: unknown }>(route, tenant.roomManager, {
    body: { ...ofRoom(), ...envelope, ...body },
  })
}

const rows = async () => ({
  secrets: await db
    .selectFrom('secret_bindings')
    .select('id')
    .where('company_id', '=', tenant.companyId)
    .execute(),
  values: await db
    .selectFrom('secret_values')
    .select('binding_id')
    .where('company_id', '=', tenant.companyId)
    .execute(),
  operations: await db
    .selectFrom('secret_operations')
    .select('id')
    .where('company_id', '=', tenant.companyId)
    .execute(),
  keys: await db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('company_id', '=', tenant.companyId)
    .execute(),
})

/** The value as a run would get it. */
async function stored({ binding }: { binding: SecretBinding }): Promise<string | undefined> {
  const wanted = { bindingId: binding.id, generation: binding.generation }
  const sealed = (await findValues(db, tenant.companyId, [wanted])).get(binding.id)
  const place = {
    companyId: tenant.companyId,
    consumerScope: binding.consumer_scope,
    consumerId: binding.consumer_id,
    taskId: binding.task_id,
    slotName: binding.slot_name,
    generation: binding.generation,
  }
  return sealed && (await openSealed(secrets.keys, place, sealed)).toString()
}

describe('the value', () => {
  const problem = (slug: string, field = 'encrypted_value') => ({
    status: 422,
    body: { detail: [{ type: slug, loc: ['body', field], msg: `validation_error:${slug}` }] },
  })
  const flip = (text: string) => {
    const bytes = Buffer.from(text, 'base64')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return bytes.toString('base64')
  }
  /** An envelope that a client makes by hand. */
  const envelope = (value: Buffer, { key = randomBytes(32), iv = randomBytes(12) } = {}) => {
    const cipher = createCipheriv('aes-256-gcm', key.length === 32 ? key : randomBytes(32), iv)
    const ciphertext = Buffer.concat([cipher.update(value), cipher.final(), cipher.getAuthTag()])
    const wrapped = publicEncrypt({ key: createPublicKey(transitKey()), oaepHash: 'sha256' }, key)
    return {
      encrypted_key: wrapped.toString('base64'),
      iv: iv.toString('base64'),
      ciphertext: ciphertext.toString('base64'),
    }
  }

  for (const [name, route] of [
    ['create', secretRoutes.createSecret],
    ['rotate', secretRoutes.rotateSecret],
  ] as const) {
    describe(`of a ${name}`, () => {
      const send = (body: Record<string, unknown>) => write(route, { body })

      it('is refused as plain text, with an envelope or without', async () => {
        const plain = problem('sandbox_plaintext_value_rejected', 'value')
        expect(await send({ value: 'plain text' })).toEqual(plain)
        expect(await send({ value: 'plain text', encrypted_value: null })).toEqual(plain)
        expect(await send({ value: 7 })).toEqual(plain)
        expect(await send({ value: { text: 'plain text' } })).toEqual(plain)
        expect(JSON.stringify(await send({ value: 'plain text' }))).not.toContain('plain text')
      })

      it('is required', async () => {
        const required = problem('sandbox_encrypted_value_required')
        expect(await send({ encrypted_value: undefined })).toEqual(required)
        expect(await send({ encrypted_value: null })).toEqual(required)
        expect(await send({ encrypted_value: null, value: '' })).toEqual(required)
        expect(await send({ encrypted_value: undefined, value: null })).toEqual(required)
      })

      it('has to open', async () => {
        const good = await encrypted('a value')
        const undecryptable = problem('sandbox_encrypted_value_undecryptable')
        for (const part of ['encrypted_key', 'iv', 'ciphertext'] as const)
          expect(await send({ encrypted_value: { ...good, [part]: flip(good[part]) } })).toEqual(
            undecryptable,
          )
        expect(await send({ encrypted_value: { ...good, ciphertext: 'YWJj' } })).toEqual(undecryptable)
        expect(await send({ encrypted_value: { ...good, encrypted_key: 'YWJj' } })).toEqual(undecryptable)
        expect(
          await send({ encrypted_value: envelope(Buffer.from('text'), { key: randomBytes(16) }) }),
        ).toEqual(undecryptable)
        const other = await encrypted('a value')
        expect(await send({ encrypted_value: { ...good, encrypted_key: other.encrypted_key } })).toEqual(
          undecryptable,
        )
      })

      it('counts for its first address alone', async () => {
        const undecryptable = problem('sandbox_encrypted_value_undecryptable')
        let good = envelope(Buffer.from('a value'))
        // The zero at the start of a wrapped key may be left out, and it opens.
        while (Buffer.from(good.encrypted_key, 'base64')[0] !== 0) good = envelope(Buffer.from('a value'))
        const shorter = Buffer.from(good.encrypted_key, 'base64').subarray(1).toString('base64')
        const other = { ...good, encrypted_key: shorter }
        const first = await send({ encrypted_value: good })
        expect(first.status).toBe(name === 'create' ? 200 : 404)
        const thief = await makeTenant(db)
        const { id } = await tasks.create(thief.companyManager, { scope: 'company', id: thief.companyId })
        await tasks.share(thief.companyManager, { taskId: id, kind: 'chatroom', id: thief.roomId })
        const stolen = { ...addressBody({ scope: 'chatroom', id: thief.roomId, taskId: id, slot: 'TOKEN' }) }
        for (const encrypted_value of [good, other])
          expect(
            await secrets.call(route, thief.roomManager, { body: { ...stolen, encrypted_value } }),
          ).toEqual(undecryptable)
        expect(await send({ slot_name: 'OTHER', encrypted_value: good })).toEqual(undecryptable)
        expect(
          await db
            .selectFrom('secret_envelopes')
            .selectAll()
            .where('company_id', '=', thief.companyId)
            .execute(),
        ).toEqual([])
      })

      it('has 4 bytes at least, 64 KiB at most, UTF-8 and no NUL', async () => {
        const of = (value: Buffer) => send({ encrypted_value: envelope(value) })
        expect(await of(Buffer.from(''))).toEqual(problem('sandbox_value_too_short'))
        expect(await of(Buffer.from('abc'))).toEqual(problem('sandbox_value_too_short'))
        expect(await of(Buffer.from('ab\0cd'))).toEqual(problem('sandbox_value_contains_nul'))
        expect(await of(Buffer.from([0x61, 0x62, 0x63, 0xff]))).toEqual(problem('sandbox_value_not_utf8'))
        expect(await of(Buffer.alloc(65_537, 'x'))).toEqual(problem('sandbox_value_too_long'))
        const longer = await of(Buffer.alloc(65_600, 'x'))
        expect([longer.status, (longer.body.detail as { type: string }[])[0]?.type]).toEqual([
          422,
          'maxLength',
        ])
      })

      it('has a shape, which is reported without the value', async () => {
        const good = await encrypted('a value')
        const cases: unknown[] = [
          'text',
          [],
          {},
          { ...good, extra: 'marker-of-a-value' },
          { ...good, iv: 'AAAA' },
          { ...good, iv: 'AAAAAAAAAAAAAA==' },
          { ...good, encrypted_key: 'marker-of-a-value' },
          { ...good, encrypted_key: 'A'.repeat(1028) },
          { ...good, ciphertext: 'no base64!' },
          { ...good, ciphertext: 7 },
        ]
        for (const encrypted_value of cases) {
          const { status, body } = await send({ encrypted_value })
          expect(status).toBe(422)
          for (const { loc, ...problem } of body.detail as { loc: string[] }[]) {
            expect(loc.slice(0, 2)).toEqual(['body', 'encrypted_value'])
            expect(Object.keys(problem).toSorted()).toEqual(['msg', 'type'])
          }
          expect(JSON.stringify(body)).not.toContain('marker-of-a-value')
        }
      })

      it('leaves nothing when it is refused', async () => {
        await send({ value: 'plain text' })
        await send({ encrypted_value: envelope(Buffer.from('abc')) })
        expect(await rows()).toEqual({ secrets: [], values: [], operations: [], keys: [] })
      })
    })
  }

  it('is stored as it is, up to 64 KiB and whatever its script', async () => {
    for (const [slot, value] of [
      ['SHORT', 'abcd'],
      ['LONG', 'x'.repeat(65_536)],
      ['WIDE', 'пароль-密码-🔑\n'],
    ] as const) {
      const { status, body } = await write(secretRoutes.createSecret, {
        body: { ...ofRoom(slot), encrypted_value: await encrypted(value) },
      })
      expect([status, await stored(body)]).toEqual([200, value])
    }
  })

  it('is stored under the former key of a rotation, until that is retired', async () => {
    const rotated = new SecretSteps(new TestApi(db))
    const keys = new TransitKeys(rotated.keysFolder)
    const send = async (slot: string) =>
      rotated.call(secretRoutes.createSecret, tenant.roomManager, {
        body: { ...ofRoom(slot), encrypted_value: await encrypted('a value') },
      })
    keys.rotate()
    expect((await send('BEFORE')).status).toBe(200)
    keys.retire()
    expect(await send('AFTER')).toEqual(problem('sandbox_encrypted_value_undecryptable'))
  })

  it('is refused by a slug of its own where the service has no key pair', async () => {
    const keyless = new SecretSteps(new TestApi(db))
    writeFileSync(join(keyless.keysFolder, 'transit-rsa.pem'), 'no key')
    const body = { ...ofRoom(), encrypted_value: await encrypted('a value') }
    for (const route of [secretRoutes.createSecret, secretRoutes.rotateSecret])
      expect(await keyless.call(route, tenant.roomManager, { body })).toEqual(
        problem('sandbox_transit_keypair_missing'),
      )
  })
})
