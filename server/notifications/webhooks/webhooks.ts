import { isIP } from 'node:net'
import {
  webhookSecretOverlapHours,
  webhooksPerCompany,
  webhookUrlMaxLength,
} from '@sandbox-jobs/contract/limits.ts'
import type {
  Webhook,
  WebhookCreateRequest,
  WebhookUpdateRequest,
  WebhookWithSecret,
} from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import { authorizeAgain } from '../../access/authentication/lock-authority.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { hostOf } from '../../base/guarded-requests/guarded-request.ts'
import type { Reachable } from '../../base/guarded-requests/reachable-addresses.ts'
import { newId, newToken } from '../../base/ids.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { Database, Trx } from '../../db/database.ts'
import { KeysUnavailable, type WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'
import { type SealedValue, sealValue } from '../../secrets/store/sealed-value.ts'
import { failWaiting } from './delivery-store.ts'
import { shownSecret } from './signature.ts'
import { expireSecrets, insertSecret, secretReference } from './webhook-secret-store.ts'
import {
  deleteWebhookRow,
  findWebhook,
  insertWebhook,
  listWebhookRows,
  lockWebhook,
  lockWebhookCount,
  updateWebhookRow,
  type WebhookRow,
} from './webhook-store.ts'

export interface WebhookDeps {
  db: Database
  clock: Clock
  log: Log
  pages: PageTokens
  wrappingKeys: WrappingKeys
  isReachable: Reachable
  /** True: the operator opened inner addresses, where `http` is accepted too. */
  acceptsHttp: boolean
}

const hourMs = 3_600_000

export async function listWebhooks({ db }: WebhookDeps, principal: Principal): Promise<Webhook[]> {
  authorize(principal, 'webhook.manage', ownCompany)
  return (await listWebhookRows(db, [principal.companyId])).map(render)
}

/** Throws `webhook_limit`, 422 for an address that webhooks never reach, `sandbox_vault_unconfigured`. */
export async function createWebhook(
  deps: WebhookDeps,
  principal: Principal,
  request: WebhookCreateRequest,
): Promise<WebhookWithSecret> {
  authorize(principal, 'webhook.manage', ownCompany)
  requireUrl(deps, request.url)
  const { companyId } = principal
  const made = await makeSecret(deps, companyId)
  const row = await deps.db.transaction().execute(async (trx) => {
    await requireStill(trx, principal)
    if ((await lockWebhookCount(trx, companyId)) >= webhooksPerCompany) throw new CodedError('webhook_limit')
    const inserted = await insertWebhook(trx, {
      id: newId('webhook'),
      company_id: companyId,
      url: request.url,
      description: request.description ?? '',
      events: request.events ?? [],
      created_by: principal.principalId,
    })
    await insertSecret(trx, { companyId, webhookId: inserted.id, id: made.id }, made.sealed)
    return inserted
  })
  return { ...render(row), secret: made.shown }
}

/** The service of the keys may have taken seconds: who was dismissed meanwhile gets no secret. */
const requireStill = (trx: Trx, principal: Principal): Promise<void> =>
  authorizeAgain(trx, principal, 'webhook.manage', ownCompany)

export async function readWebhook(deps: WebhookDeps, principal: Principal, id: string): Promise<Webhook> {
  return render(await requireWebhook(deps, principal, id))
}

/** Throws `not_found`, `no_fields`, 422. */
export async function updateWebhook(
  deps: WebhookDeps,
  principal: Principal,
  id: string,
  { paused, ...set }: WebhookUpdateRequest,
): Promise<Webhook> {
  const before = await requireWebhook(deps, principal, id)
  if (paused === undefined && Object.keys(set).length === 0) throw new CodedError('no_fields')
  if (set.url !== undefined) requireUrl(deps, set.url)
  const key = { companyId: principal.companyId, id }
  const pause =
    paused === undefined || paused === (before.paused_at !== null) ? {} : pausing(paused, deps.clock.now())
  const row = await deps.db.transaction().execute(async (trx) => {
    const updated = await updateWebhookRow(trx, key, { ...set, ...pause })
    if (updated?.paused_at) await failWaiting(trx, { companyId: key.companyId, webhookId: id }, 'paused')
    return updated
  })
  if (!row) throw notFound()
  return render(row)
}

const pausing = (paused: boolean, now: Date) =>
  paused
    ? ({ paused_at: now, paused_because: 'manager' } as const)
    : { paused_at: null, paused_because: null, failing_since: null, dropped: 0 }

export async function deleteWebhook(deps: WebhookDeps, principal: Principal, id: string): Promise<Webhook> {
  await requireWebhook(deps, principal, id)
  const row = await deleteWebhookRow(deps.db, { companyId: principal.companyId, id })
  if (!row) throw notFound()
  return render(row)
}

/** The former secret signs too for a day. Throws `not_found`, `sandbox_vault_unconfigured`. */
export async function rotateWebhookSecret(
  deps: WebhookDeps,
  principal: Principal,
  id: string,
): Promise<WebhookWithSecret> {
  await requireWebhook(deps, principal, id)
  const { companyId } = principal
  const made = await makeSecret(deps, companyId)
  const expiresAt = new Date(deps.clock.now().getTime() + webhookSecretOverlapHours * hourMs)
  const row = await deps.db.transaction().execute(async (trx) => {
    await requireStill(trx, principal)
    // So that of two rotations each one's secret is in order.
    const locked = await lockWebhook(trx, { companyId, id })
    if (!locked) throw notFound()
    await expireSecrets(trx, { companyId, webhookId: id }, expiresAt)
    await insertSecret(trx, { companyId, webhookId: id, id: made.id }, made.sealed)
    return locked
  })
  return { ...render(row), secret: made.shown }
}

export async function requireWebhook(
  { db }: Pick<WebhookDeps, 'db'>,
  principal: Principal,
  id: string,
): Promise<WebhookRow> {
  authorize(principal, 'webhook.manage', ownCompany)
  const row = await findWebhook(db, { companyId: principal.companyId, id })
  if (!row) throw notFound()
  return row
}

function requireUrl({ isReachable, acceptsHttp }: WebhookDeps, text: string): void {
  const refuse = (type: string, words: string) => invalid(['body', 'url'], type, words)
  if (!URL.canParse(text)) throw refuse('url', 'must be an address')
  const url = new URL(text)
  if (url.href.length > webhookUrlMaxLength)
    throw refuse('url', `must have at most ${webhookUrlMaxLength} characters`)
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw refuse('url', 'must have no user, password or fragment')
  if (url.protocol !== 'https:' && !acceptsHttp) throw refuse('https_required', 'must start with https://')
  const host = hostOf(url)
  if (host.split('.').includes('')) throw refuse('url', 'must have a host name without empty parts')
  if ((isIP(host) && !isReachable(host)) || /(?:^|\.)localhost$/.test(host))
    throw refuse('address_forbidden', 'must not be an address inside of the network')
}

async function makeSecret(
  { wrappingKeys, log }: WebhookDeps,
  companyId: string,
): Promise<{ id: string; sealed: SealedValue; shown: string }> {
  const id = newId('webhookSecret')
  const secret = Buffer.from(newToken(), 'base64url')
  try {
    return {
      id,
      sealed: await sealValue(wrappingKeys, secretReference(companyId, id), secret),
      shown: shownSecret(secret),
    }
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error
    log.error({ error: error.message }, 'no key to store the secret of a webhook under')
    throw new CodedError('sandbox_vault_unconfigured')
  }
}

const render = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: row.events as Webhook['events'],
  paused_at: row.paused_at?.toISOString() ?? null,
  paused_because: row.paused_because,
  failing_since: row.failing_since?.toISOString() ?? null,
  dropped: row.dropped,
  created_at: row.created_at.toISOString(),
})
