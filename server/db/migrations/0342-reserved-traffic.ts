import { type Kysely, sql } from 'kysely'

/**
 * A hold covers received bytes too, and is the most that its work costs. A charge has the bytes that it reserves, which cap the run:
 * null where they have no price. Lists that were applied before reserve as much of received bytes as of sent ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table price_lists add column inbound_reservation_bytes bigint not null default 0
      check (inbound_reservation_bytes between 0 and 9007199254740991);
    update price_lists set inbound_reservation_bytes = outbound_reservation_bytes
    where exists (select from prices where list_id = price_lists.id and ingress_per_gib_micro > 0);

    alter table charges add column reserved_received_bytes bigint check (reserved_received_bytes >= 0);
    alter table charges add column reserved_sent_bytes bigint check (reserved_sent_bytes >= 0);

    create or replace function settle_charge(
      subject text, company text, is_billed boolean, used_seconds bigint, ingress bigint, egress bigint
    ) returns bigint language plpgsql as $$
    declare
      held charges;
      billed bigint := 0;
      cost bigint := 0;
    begin
      select * into held from charges where subject_id = subject and company_id = company and settled_at is null;
      if not found then return 0; end if;
      if is_billed and used_seconds is not null then
        billed := least(greatest(used_seconds, held.minimum_billed_seconds), held.reserved_seconds);
        -- A run is ended a little beyond its caps: that is not billed.
        cost := least(held.held_micro, billed::numeric * held.per_second_micro
          + ceil(ingress::numeric * held.ingress_per_gib_micro / 1073741824)
          + ceil(egress::numeric * held.egress_per_gib_micro / 1073741824));
      end if;
      update charges set billed_seconds = billed, cost_micro = cost, settled_at = clock_timestamp()
      where subject_id = subject and company_id = company;
      if cost <> held.held_micro then
        insert into budget_changes (company_id, month, micro) values (company, held.month, cost - held.held_micro);
      end if;
      return cost;
    end $$;
  `.execute(db)
}
