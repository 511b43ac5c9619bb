import type { GatewayKey } from '@sandbox-jobs/contract/operator/gateway-key.ts'
import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { DateTime } from '../../parts/date-time.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { ActDialog, useActRefusal } from '../act-dialog.tsx'
import { Commands } from '../commands.tsx'
import { gatewayKeysOf, revokeGatewayKey } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

/** The keys with which chat pipelines post messages on behalf of the people of a company. */
export function GatewayKeys({ company }: { company: OperatedCompany }) {
  const t = useOperatorTexts().keys
  const query = useQuery(gatewayKeysOf(company.id))
  const [revoked, setRevoked] = useState<GatewayKey | undefined>()
  return (
    <>
      <Panel query={query} rows={2}>
        {({ items }) => (
          <Table
            title={t.title}
            none={t.none}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { name: t.name, show: ({ name }) => <TenantText text={name} /> },
              { name: t.created, show: ({ created_at }) => <DateTime at={created_at} />, isWide: true },
              { name: t.used, show: ({ last_used_at }) => <When at={last_used_at} />, isWide: true },
              { name: t.end, show: (key) => <End gatewayKey={key} onRevoke={() => setRevoked(key)} /> },
            ]}
          />
        )}
      </Panel>
      <Commands
        commands={[{ does: t.issue, line: `sandbox operator gateway-key issue ${company.id} NAME` }]}
      />
      {revoked && (
        <ActDialog
          title={t.revokeNamed(revoked.name)}
          act={t.revoke}
          perform={(reason) => revokeGatewayKey(company.id, revoked.id, reason)}
          onClose={() => setRevoked(undefined)}
        >
          <p>{t.effect}</p>
        </ActDialog>
      )}
    </>
  )
}

function When({ at }: { at: string | null }) {
  const t = useOperatorTexts().keys
  return at === null ? t.never : <DateTime at={at} />
}

function End({
  gatewayKey: { name, revoked_at },
  onRevoke,
}: {
  gatewayKey: GatewayKey
  onRevoke: () => void
}) {
  const t = useOperatorTexts().keys
  const disabledWhy = useActRefusal()
  if (revoked_at !== null) return <DateTime at={revoked_at} />
  return (
    <Button label={t.revokeNamed(name)} disabledWhy={disabledWhy} onPress={onRevoke}>
      {t.revoke}
    </Button>
  )
}
