import { randomUUID } from 'node:crypto'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Search } from '../search.ts'
import type { SecretJob } from './secret-job.ts'

/** Searches the answers to secrets that are refused, in each way in which one can be, and to reads of what was stored. */
export async function searchAnswers(job: SecretJob, search: Search, canary: string): Promise<string[]> {
  const { baseUrl, token, room, client } = job.tenant
  const found: string[] = []
  const read = async (name: string, path: string, init: RequestInit = {}) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    }
    const answer = await fetch(`${baseUrl}${path}`, { ...init, headers })
    const text = `${[...answer.headers].join('\n')}\n${await answer.text()}`
    found.push(...search.in(`the answer ${answer.status} to ${name}`, Buffer.from(text)))
    return answer.status
  }
  const post = async (name: string, body: string) => {
    const status = await read(name, allRoutes.createSecret.path, { method: 'POST', body })
    if (status < 400) found.push(`${name} was accepted with ${status}`)
    if (status >= 500) found.push(`${name} was answered with ${status}`)
  }

  const get = async (name: string, path: string) => {
    const status = await read(name, path)
    if (status !== 200) found.push(`${name} was answered with ${status}`)
  }

  const address = { ...job.consumer, slot_name: 'CANARY_OTHER' }
  const publicKey = await client.call(allRoutes.readPublicKey)
  const envelope = await encryptSecret(publicKey, canary)
  const base64 = Buffer.from(canary).toString('base64')
  const refused: Record<string, object> = {
    'a plain value': { ...address, value: canary },
    'a value as its envelope': { ...address, encrypted_value: canary },
    'a value as the ciphertext': { ...address, encrypted_value: { ...envelope, ciphertext: base64 } },
    'a value as the wrapped key': { ...address, encrypted_value: { ...envelope, encrypted_key: base64 } },
    'a value as the nonce': { ...address, encrypted_value: { ...envelope, iv: canary } },
    'a value as a slot': { ...address, slot_name: `-${canary}`, encrypted_value: envelope },
    'a value with a zero byte': {
      ...address,
      encrypted_value: await encryptSecret(publicKey, `${canary}\0${canary}`),
    },
    'a value that is too long': {
      ...address,
      encrypted_value: await encryptSecret(publicKey, canary.repeat(Math.ceil(2 ** 16 / canary.length) + 1)),
    },
    'a value for no task': { ...address, task_id: `tsk_${'0'.repeat(32)}`, encrypted_value: envelope },
    'a second first value': { ...address, encrypted_value: envelope },
  }
  for (const [name, body] of Object.entries(refused)) await post(name, JSON.stringify(body))
  await post('a value in broken JSON', `{"value": "${canary}`)

  const { version, consumer } = job
  const of = (route: Route, params: Record<string, string>) =>
    route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? '')
  const query = `?consumer_scope=${consumer.consumer_scope}&consumer_id=${consumer.consumer_id}`
  await get('listSecrets', `${allRoutes.listSecrets.path}${query}`)
  await get('readMenu', of(allRoutes.readMenu, { cid: room }))
  await get('readTaskVersion', of(allRoutes.readTaskVersion, { id: version.task_id, vid: version.id }))
  await get('listAuditEntries', allRoutes.listAuditEntries.path)
  await get('listRuns', of(allRoutes.listRuns, { cid: room }))
  return found
}
