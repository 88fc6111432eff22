// How the claims of a list stand, asked for all of them at once.
import { listed, useRows } from "./sql";
import type { Node, Posterior } from "./verbs";

export function useStandings(nodes: Node[]): Map<string, Posterior> {
  const claims = nodes.filter((node) => node.kind === "claim").map((node) => node.id);
  const names = listed(claims);
  const rows = useRows(claims.length ? `select * from v_claim_evidence_summary where claim_id in (${names})` : null).answer ?? [];
  return new Map(
    rows.map((row) => [
      String(row["claim_id"]),
      {
        confidence: Number(row["bayesian_confidence"]), uncertainty: Number(row["uncertainty"]), controversy: Number(row["controversy"]),
        supports: Number(row["support_count"]), refutes: Number(row["refute_count"]), neutral: Number(row["neutral_count"]),
        pages: Number(row["independent_sources"]), domains: Number(row["independent_domains"]), oldest_year: null, newest_year: null,
      },
    ]),
  );
}
