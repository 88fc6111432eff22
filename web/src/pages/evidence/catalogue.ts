// The analyses: how they are grouped, what they are called and which question each answers.
import type { Language } from "../../preferences";

interface Named {
  title: string;
  question: string;
}

export interface Group {
  name: "standing" | "time" | "sources" | "citations";
  views: string[];
}

export const GROUPS: Group[] = [
  { name: "standing", views: ["v_claim_evidence_summary", "v_contradictions", "v_unsupported_claims", "v_evidence_chain"] },
  { name: "time", views: ["v_evidence_timeline", "v_controversy_by_era", "v_claim_temporal_support", "v_emerging_consensus", "v_evidence_freshness", "v_outdated_evidence"] },
  { name: "sources", views: ["v_source_authority", "v_hub_pages", "v_orphan_sources"] },
  { name: "citations", views: ["v_citation_flow", "v_citation_age_gap", "v_citation_clusters"] },
];

const NAMED: Record<string, Record<Language, Named>> = {
  v_claim_evidence_summary: { en: { title: "How each statement stands", question: "How much evidence does each statement have, and on which side?" }, ja: { title: "各主張の裏づけ", question: "それぞれの主張には、どちら側にどれだけの証拠がありますか。" } },
  v_contradictions: { en: { title: "Disputed statements", question: "Which statements have evidence both for and against them?" }, ja: { title: "係争中の主張", question: "支持と反対の両方の証拠がある主張はどれですか。" } },
  v_unsupported_claims: { en: { title: "Statements without support", question: "Which statements does nothing support yet?" }, ja: { title: "支持のない主張", question: "まだ何も支持していない主張はどれですか。" } },
  v_evidence_chain: { en: { title: "From quotation to statement", question: "How does a quotation bear on a statement, directly or through statements derived from others?" }, ja: { title: "引用から主張へ", question: "引用は主張にどう関わりますか。直接にですか、他の主張を介してですか。" } },
  v_evidence_timeline: { en: { title: "Evidence by year", question: "How is the evidence spread over the years?" }, ja: { title: "年ごとの証拠", question: "証拠はどの年にどれだけありますか。" } },
  v_controversy_by_era: { en: { title: "Disputes by decade", question: "In which decades was how much disputed, and when did that change?" }, ja: { title: "年代ごとの係争", question: "どの年代にどれだけ争われ、いつ変わりましたか。" } },
  v_claim_temporal_support: { en: { title: "Years of support", question: "From which years does the support of a statement come, and does it hold through them?" }, ja: { title: "支持の年代", question: "主張の支持はどの年のもので、その間ずっと続いていますか。" } },
  v_emerging_consensus: { en: { title: "Gaining support", question: "Which statements gained support lately?" }, ja: { title: "支持が増えた主張", question: "最近支持が増えた主張はどれですか。" } },
  v_evidence_freshness: { en: { title: "How fresh the evidence is", question: "How fresh is the evidence for and against each statement?" }, ja: { title: "証拠の新しさ", question: "各主張の賛否の証拠はどれだけ新しいですか。" } },
  v_outdated_evidence: { en: { title: "Resting on old evidence", question: "Which statements rest on old evidence only?" }, ja: { title: "古い証拠だけの主張", question: "古い証拠だけに基づく主張はどれですか。" } },
  v_source_authority: { en: { title: "Sources by weight", question: "Which sources carry most weight by support, citations and recency?" }, ja: { title: "出典の重み", question: "支持・引用・新しさから見て重みのある出典はどれですか。" } },
  v_hub_pages: { en: { title: "Sources behind several statements", question: "Which sources support several statements of a task?" }, ja: { title: "複数の主張を支える出典", question: "一つの課題で複数の主張を支持する出典はどれですか。" } },
  v_orphan_sources: { en: { title: "Sources nobody cites", question: "Which sources of evidence does no other page cite?" }, ja: { title: "引用されていない出典", question: "他のどのページからも引用されていない出典はどれですか。" } },
  v_citation_flow: { en: { title: "Who cites whom", question: "Which page leads to which by citations, and over how many steps?" }, ja: { title: "引用の流れ", question: "どのページから引用をたどるとどのページに、何段で着きますか。" } },
  v_citation_age_gap: { en: { title: "Age of what is cited", question: "How much older than the citing page is what it cites?" }, ja: { title: "引用先の古さ", question: "引用されたページは引用元よりどれだけ古いですか。" } },
  v_citation_clusters: { en: { title: "Circles of citation", question: "Which groups of pages cite each other?" }, ja: { title: "引用し合うまとまり", question: "互いに引用し合うページのまとまりはどれですか。" } },
};

/** Title and question of an analysis; one that this page does not know is called by its own name. */
export function namesOf(view: string, language: Language): Named {
  return NAMED[view]?.[language] ?? { title: view, question: "" };
}
