"""docs/accuracy.md from the report of a fit: figures of models that saw nothing of the rows they are measured on."""

from __future__ import annotations

from typing import Any

HEAD = """| set | answers | unsupported | AUROC | F1 | balanced accuracy | macro-F1 | ECE |
|---|---|---|---|---|---|---|---|"""
TEXT = """# How good the built-in judge is

`builtin` with the coefficients `{model}`, fitted on {date} by `{command}`.

The fit saw claims as version 33 of the alignment reads them. Version 34 reads more units, short forms and sums; fitted
anew on it every figure below stays within its error (RAGTruth's F1 .747 cross-validated and .727 kept aside,
GenSearch's balanced accuracy .812 and .790, WiCE's .723 and .763), and three more of the right answers further down
failed, so that it was not shipped. Version 35 reads "not", dates, amounts and the cases of Russian and Ukrainian words
in more languages, and facts in bold or before a list: of 1,704 answers of nine labelled sets none is judged
otherwise.
Version 36 compares permissions, exceptions, opening hours in one line, shares, weekdays and the units of other
numbers: of 2,190 answers of these sets none is judged otherwise.
Version 37 reads columns parted by commas, telephone numbers, numbers that are rounded below 20, "two", and the "no" of
a table's cell or behind a question: of 3,387 answers of eleven sets none is judged otherwise.

One model serves every set; neither the set's name nor the task is an input, and length and style are no features.
An answer that makes one claim is judged by that claim alone, one of several by what all its claims have in common, by
the worst of each figure, by its first claim (answers open in words of their own) and its last (they invent at their
end), and by whether it says besides that there is no answer; the two have coefficients of their own. How much
evidence there is, is seen: the same words are found more easily in a long page than in a quoted line. On
Stanford-GenSearch that alone has AUROC 0.70 (an artefact of how its evidence was extracted), and without it the lone
claims there reached 0.86 instead of 0.88.
Words that the evidence lacks are not all alike: the fit counted how usual it is that RAGTruth's answers bring such a
word ("praise", "various") and how often it was unfounded ("takeout", "live"). Words that it never met count as any.
Not looked for in the evidence: numbers that are no facts (steps and options of the answer, seven days a week, out of 5,
"the two", a temperature told in other degrees before), and days and times that agree with a record's hours.
AUROC: how well it ranks answers, positive = not fully supported. ECE: expected calibration error of its probability.
In brackets: 95 % of 500 draws of whole source groups. Every threshold was chosen on other groups than those it is
measured on, as the best for the probabilities that a regression of their labels on the scores gives: the best for the
labels themselves follows their noise. (Over eight ways to keep 40 % aside, one of them the one below, the former
brought F1 .002 on RAGTruth, .026 on its QA, .029 on its Summary and -.009 on its Data2txt, macro-F1 .009 on
AttributionBench, balanced accuracy .003 on GenSearch and .014 on WiCE.)

## Kept aside

40 % of the source groups were kept aside; models and thresholds come from the others. How records' flags and hours and
such numbers are read, and that "Goleta, CA. The shop" is two sentences, was mended after mistakes on these 1,400
RAGTruth rows had been read, and those kept aside were among them: no coefficient saw them, the rules did. Take the
figures of Data2txt as the upper end of what to expect.

{aside}

## Cross-validated

Five folds, split by source group; each fold's models and threshold come from the other four. More rows, so narrower
intervals. How much each set weighs, ridges and figures were chosen by what they bring here, so these lines flatter a
little.

{crossed}

Fitted on: {sets}. The other sets are measured only. ExpertQA asks experts whether a passage supports an expert's
sentence: no better than chance here. How telling a word is was counted in the passages of the sets fitted on and of
{counted}, whose labels were not read.

The lines marked (estimate) take the rows at hand in the numbers in which a benchmark's own test has them, with one
threshold for all. AttributionBench's 2,111: 1,013 of HAGRID, 436 of BEGIN, 190 of ExpertQA, 186 of GenSearch, 162 of
AttrScore, 72 of AttributedQA, 52 of LFQA. Of HAGRID and AttrScore none is at hand: GenSearch's stand in for them, and
BEGIN's come from its own file. RAGTruth's: 900 of each task, from rows of its test only, unsupported as often as there
(QA 17.8%, Data2txt 64.3%, Summary 22.7%). They say what to expect of such a mix, not what was measured on it.

Of a claim that is not supported the judge marks the words at fault, and the whole claim once two thirds of its words
are: of RAGTruth's claims with any mark, people marked 36 % over four fifths of their length or more, which is 58 % of
all marked characters. The line "unsupported characters" takes what the judge would mark.

Answers were also put beside the evidence of another question: of {strangers:,} such answers {passed:.1%} pass.

## Beside published figures

RAGTruth's official test, F1 of whole answers (table 1 of LettuceDetect, arXiv 2502.17125, which reprints RAGTruth's
and Luna's): GPT-4-turbo prompted 63.4, GPT-3.5-turbo 52.9, RAGAS 52.0, TruLens 60.4, Luna 65.4, LettuceDetect-base
(trained on all of RAGTruth) 76.1; characters: GPT-4-turbo 28.3, LettuceDetect-base 55.4. The rows here are 1,400 of
the same set, not the same test, and this judge was fitted on such rows, which the prompted ones were not.

## Tried without gain

Each was put through the same cross-validation, with the difference drawn by source group; none moved a figure above by
more than its error without costing another one.

| tried | AUROC RAGTruth / QA / GenSearch / WiCE (.863 / .848 / .894 / .805) |
|---|---|
| how near (GloVe) a missing word is to the evidence's: figures of words | +.001 / +.002 / -.001 / -.002 |
| the same, figures of claims: what all or two sentences softly cover | .000 / .000 / -.001 / +.005 |
| how telling rare words are from their rank in GloVe's corpus | -.001 / +.002 / -.001 / +.006 |
| how much more is covered than so much evidence covers by chance | .000 / +.001 / +.002 / -.001 |
| how much of the question the evidence has, and what a claim only has from it | -.004 / -.010 / -.001 / +.004 |
| missing words that an earlier claim of the answer has, too | -.002 / -.003 / .000 / +.001 |
| extremely randomised trees in place of half of the claims' models | -.003 / -.007 / +.007 / -.035 |
| gradient boosting with leaves (scikit-learn's) likewise | .000 / -.001 / -.001 / -.017 |
| five fits of the trees on draws of source groups, averaged | -.001 / -.002 / +.001 / +.004 |
| twice as many trees at half the rate | .000 / .000 / .000 / +.002 |
| trees that rise with what is covered and fall with what is missing | -.001 / -.001 / .000 / +.008 |
| answers compared pairwise within their source group, .3 of the loss | -.001 / -.003 |
| trees beside the regression of answers | -.003 / -.001 |
| a ridge of answers of 10 or 100 instead of 30 | -.001 / -.001, -.002 / -.004 |
| three meaningful words in one sentence, overlap both ways, how many sentences carry it | .000 / -.001 / .000 / -.001 |
| BEGIN's replies on Wikipedia and films (CC BY 4.0, CMU's licence) fitted on, too | .000 / -.001 / -.002 / +.001 |
| irregular forms as one word (bought and buy, men and man), 330 of them | -.002 / -.005 / +.001 / -.005 |

Later ones, on claims as version 34 reads them, with a faster loop (a quarter to a third of ASSIN's, SummEdits' and
BUMP's rows, which count the more; words from all of RAGTruth). Differences cross-validated, and in brackets the mean
of nine ways to keep 40 % aside, one of them the one above. Their standard errors, too small because the nine overlap,
are up to .002 for AUROC (WiCE .005) and .006 for balanced accuracy. AttributionBench's macro-F1 rose by .006 at most.
From AUROC .900 (.892) and balanced accuracy .818 (.813) on GenSearch, AUROC .877 (.871) on AttributionBench in the mix
of its own test and .810 (.801) on WiCE:

| tried for lone claims | GenSearch: AUROC | balanced accuracy | the mix: AUROC | WiCE: AUROC |
|---|---|---|---|---|
| none of the model of claims among others | +.007 (+.003) | .000 (-.008) | +.001 (-.002) | -.012 (-.014) |
| .15 of it instead of .3 | +.004 (+.002) | +.004 (-.002) | +.001 (-.001) | -.004 (-.007) |
| .5 of it | -.007 (-.005) | -.006 (-.007) | -.003 (-.001) | +.004 (+.003) |
| none of it beside little evidence, .5 beside much | -.008 (-.009) | -.010 (-.011) | -.005 (-.005) | +.004 (.000) |
| .5 of it beside little evidence, .1 beside much | +.005 (+.006) | +.006 (+.001) | +.002 (+.003) | -.006 (-.007) |
| a model for little and one for much evidence | +.001 (+.002) | +.006 (+.001) | +.001 (+.001) | -.002 (-.004) |
| trees of depth 2 or 4 | -.001, .000 | +.008, +.010 (-.006, -.001) | .000, -.001 | +.006, -.003 |
| ridges of 100 and 1,000 | +.002, -.003 | +.004, -.008 (-.003, -.004) | .000, -.001 | +.002, +.004 |
| a share of .3 or .7 for the regression | +.001, -.001 | -.006, +.008 (.000, -.001) | .000, -.001 | .000, +.002 |
| GenSearch weighted half or twice as much | -.002, .000 | -.006, +.004 (-.003, -.005) | -.001, -.002 | +.001, +.003 |
| WiCE weighted twice or four times as much | -.001, -.002 | .000, +.004 (-.004, .000) | -.001, -.001 | -.002, -.004 |
| its labels smoothed by .03 or .1 | -.001, -.004 | -.002, .000 (+.001, -.005) | -.001, -.002 | .000, +.004 |
| GenSearch's two classes weighted alike | +.001 (.000) | +.004 (-.007) | -.001 (-.001) | +.003 (+.001) |
| strangers from the same source group, too | +.001 (+.001) | +.010 (.000) | +.001 (+.001) | +.001 (-.004) |
| .25 a noisy-or of words, learnt from claims | .000 (.000) | +.010 (-.003) | -.001 (-.001) | -.002 (-.003) |
| .5 a regression with linear splines | -.001 (-.001) | +.008 (-.002) | -.001 (-.001) | .000 (-.002) |
| .3 a regression of pairs of claims of one set | -.001 (-.001) | +.006 (-.001) | -.001 (-.001) | +.002 (+.001) |
| six forests of 40 trees averaged | -.001 (.000) | +.008 (.000) | -.001 (+.001) | +.002 (+.004) |
| without ASSIN, BUMP and SummEdits | .000 (+.002) | +.002 (+.004) | .000 (+.001) | +.004 (-.006) |
| BEGIN's replies fitted on, as GenSearch's | -.001 (.000) | .000 (-.005) | .000 (+.002) | +.004 (.000) |

Figures of claims, beside the lone claims' model alone (.907 (.895), .817 (.806), .877 (.869), .798 (.787)):

| tried as figures of claims | GenSearch: AUROC | balanced accuracy | the mix: AUROC | WiCE: AUROC |
|---|---|---|---|---|
| letters in a row: 5, 10, 4 of missing words | -.003 (-.001) | .000 (-.002) | -.001 (.000) | +.006 (.000) |
| how telling words are within the evidence | -.004 (-.001) | +.004 (-.001) | -.002 (-.001) | -.003 (-.005) |
| coverage of the worst and the mean clause | -.003 (-.001) | -.002 (-.001) | -.002 (-.001) | +.006 (.000) |
| best windows of 12 and 30 words, the next best | -.003 (-.001) | +.006 (-.007) | -.001 (.000) | +.008 (+.006) |
| skip-bigrams, longest common subsequence, gaps | -.004 (-.001) | +.004 (-.004) | -.004 (-.001) | -.003 (-.005) |
| names in the best sentence, opening sentences | -.002 (.000) | .000 (-.002) | -.004 (-.002) | -.001 (+.001) |
| all of these | -.005 (-.002) | +.002 (.000) | -.006 (-.002) | -.001 (+.005) |

Missing words that stand in the passage's address (beside the mixed model): -.002 (+.001), -.002 (.000), -.002 (.000),
+.005 (-.001). For answers of several claims, over five of the nine ways, all of these figures brought RAGTruth's AUROC
-.001 (.000), its QA's +.001 (+.003), F1 on Data2txt -.006 (+.003); missing words where a claim names a record's flag
-.001 (-.001), -.002 (-.002) and -.002 (.000).

What is kept aside decides more than anything tried. Over the nine ways the model as it is has on GenSearch a balanced
accuracy of .780 to .878 (mean .813, on the one above .792), on AttributionBench's mix an AUROC of .851 to .905 (.871,
.854) and macro-F1 of .774 to .824 (.791, .782), on RAGTruth's Data2txt F1 of .817 to .863 (.842, .831), on its QA
AUROC of .837 to .878 (.859, .864) and on all of it F1 of .694 to .750 (.725, .727). ExpertQA holds the mix down: its
AUROC is .56, of GenSearch's .90, of BEGIN's .93, of LFQA's .91; another level for BEGIN's brings .001.
Of the 34 unsupported Data2txt answers of the fitted part that are trusted most, six offer catering or delivery that no
record tells, five have wrong hours or Wi-Fi; most others invent a dish, a reviewer or a loyal clientele, one or two
words each in a sentence that is true otherwise. Claims there that tell hours, Wi-Fi or reservations are ranked with
an AUROC of .94 to .96: little is left to gain by rules on records.

## What it cannot do

- **The probability is calibrated for answers of RAG services as in RAGTruth**, where about one claim in eleven is
  unsupported, and a lone claim's for search engines' citations, of which one in four does not support its sentence.
  On sets with another share the ranking holds and the probability does not: see their ECE. Calibrate with labels of
  your own before you read its rate as a level.
- What stands over a list, a table or code, or is stressed as a whole, is read where it is a label with a value ("Fee: 5
  euros") or six words or more that tell a measure or a sum that the question does not tell, and name no case
  ("For orders over $50:"); a stressed sentence also where it is cited. "**Pets are allowed.**" without a citation, "The
  board, chaired by X, decides on:" and a port number before code are headings, which nobody compares.
- **Subtle edits escape it**: near chance on SummEdits, BUMP and QAGS, whose errors change a role, a relation or one
  word, seldom by mere exchange. So do paraphrases that share few words with the evidence.
- A wrong number inside a long true sentence lowers the probability; only a nearly identical sentence with another
  number or a negation is called `contradicted`, or one that has the same number with another unit, scale, sign, month
  or period, or an opposite word of a small table (rose and fell, at least and at most, within and after, faster and
  slower; English, and the commonest in Portuguese, Spanish, German and French). A wrong unit or comparative that is in
  no table, or in a sentence that is put otherwise, passes.
- What is allowed beside what is forbidden, in other words ("you can smoke" beside "smoking is prohibited"), is called
  `contradicted` in English, German, French, Spanish and Portuguese where both are of the same, within the same bounds
  (without, until, if, only): of 31 such answers 19 passed, now 5, all Chinese, Japanese or Arabic. "Not without",
  "not unless" and "not until" deny nothing that is only so with it, if it is so, or once it is: of 42 right answers
  put so 14 failed, now 1. What is said of all "except" one thing is the opposite of that one ("open daily except
  Sundays" beside "closed on Sundays"), in the same languages; an exception in the middle of a sentence is not read.
- Miles, feet, inches, pounds, ounces, gallons, acres and degrees Fahrenheit are compared with metric units as exactly
  as the answer writes them (1 % at least, 5 % behind "about"), and 30 or 31 days a month with months; other units of
  different systems are not. A minus is read only before its number; Chinese and Japanese numbers in characters
  (三百五十万) are where they are large or something is counted with them: of 40 wrong ones beside digits all
  passed, now 2, and all of 60 right ones pass as before.
- Days in words are read beside those in figures in the languages above and in Russian, Ukrainian, Turkish, Czech,
  Indonesian, Vietnamese, Arabic, Hebrew, Hindi, Chinese, Japanese and Korean, with the years of Japanese eras and of
  the Thai calendar; so are amounts in the scales of these languages (млн, milyar, triệu, लाख, 億, Mio.) beside the
  same in full, where they are the same exactly. A wrong day is called `contradicted` there only as a whole date
  between the same words, for their *until* and *since* are not known: months alone, ends of ranges and Levantine
  names of two words pass, and a right day within a range fails there. Hours of the afternoon are read beside those of
  24 in Chinese, Korean, Vietnamese, Russian, Hindi and Arabic. Not read: Czech *mil.*, *mil milhões*, a sign of money
  joined to its number (Rp3.450.000), Thai months.
- How often something is so (once and twice, daily, weekly, monthly, once a week and seven days a week) is compared
  where all else is much alike: of 20 wrong ones in six languages 18 passed, now 2 (*une fois*, *una volta*), of 29
  right ones none fails. "Every other Monday" and the like are not compared.
- **Of 148 right answers as ten kinds of services give them, in six languages, nine fail (13 before); of 80 with one
  planted fault of four kinds 60 are doubted (18 before).** (`python -m tests.scorer.checks.service_answers`; written by
  one person before the rules, who made them for two thirds of each kind. Of the third kept aside a few were seen
  before any rule was made, its counts after each, and its swapped roles when false alarms were mended: 14 of 24 are
  doubted there, 4 before, and 6 of 46 right answers fail, as before.) Doubted, made for and kept aside:
  swapped roles 12 of 14 and 2 of 6, the value of another product, plan or row 12 of 14 and 5 of 6, conditions left out
  11 of 14 and 4 of 6, turned statements 11 of 14 and 3 of 6. Only what the words of one sentence or two show is seen:
  roles swapped by another verb, or a condition that no word announces ("on Saturdays"), pass. So do roles swapped
  by a verb that is not among some hundred English and French ones of which the two sides differ, and in other languages
  where neither a case nor a preposition tells them ("Das Amt informiert das Büro").
- **Right answers that work something out, or say it in their own way, often fail.** Of 152 more right ones, written
  later for other domains and eleven languages to be as far from the evidence's words as good answers get (sums,
  shares, other units and periods, courtesies, links, lists, refusals of a part), the judge fails 51 (67 at first),
  and some check minds 83 (97); of 148 faults of twenty kinds 105 are minded
  (`python -m tests.scorer.checks.twelve_domains`). Of 213 more, written as support desks, banks, clinics, lawyers,
  shops and runbooks answer, in six languages, 39 fail (64 at first) and a check minds 76 (104); of the same with one
  fact changed 159 fail (163) (`python -m tests.scorer.checks.right_answers`). What was made for one half did little
  for the half kept aside: of 110 15 fail (36), of 103 24 (28). Of the six faulty ones that pass now, five failed for
  something that was right in them; the sixth is kept aside.
  Numbers invented, sums and quotations nearly always are; turned
  statements 10 of 22, swapped roles 1 of 6, another customer's data and refusals in spite of the evidence never.
  Reckoning with what answers work out brought the 67 to 32 and was not kept: of 92 wrong numbers put against it 58
  passed then, which are doubted now (the right factor on another row, period or base). What brought them down are
  narrow rules: sums that the answer shows; seven days a week for every day, and *spätestens nach* for *innerhalb
  von*, where a clause says nothing else otherwise; a value that another record misses,
  where question and answer name the record that has it;
  twelve times a month's price, where one plain sentence tells that price in the same words. Of some 210 wrong answers
  put against these none is trusted more than before. And whole sentences that are only polite, at the beginning or
  the end ("No problem!", not "No problem with dogs."), or that only say that a refusal is one ("so I can't confirm
  it"), are no claims: the rest of such an answer is judged as it is without them, so a fault that passes by itself
  passes behind "Good news!", too. All seven answers are among those that were looked at, none among the 50 kept
  aside, of which 18 fail. Of 23,590 labelled answers one is judged otherwise, a faulty one, which fails now.
- Of 135 other planted faults nearly all invented steps, quotations and citations were seen before that, most wrong
  numbers and dates and half of the wrong units. A superseded passage that is cited, and a refusal beside a passage that
  puts the question in other words, pass.
- How often these rules are wrong on labelled claims of twelve sets (20,700 right, 12,900 not): swapped roles are found
  in 1 right one and 10 that are not, clauses that the evidence denies in 0 and 80, values of
  another thing in 0 and 1. (Swapped roles as they were found first; since more is asked of them, fewer are.) Those sets
  hardly hold such wordings, so this does not show how often the rules are wrong where they occur. Of 47 pairs that say
  the same in two orders (tests/scorer/checks/test_exchanged.py), each compared both ways, 65 of 94 were taken for
  swapped roles at first, of 30 fresh ones still 16 of 60 while verbs that hold both ways were listed; so only verbs
  whose two sides differ count now. Of 20 more pairs one was found then ("costs less than") and mended.
- A total, a multiple or a change that an answer works out is known where it says so and the numbers stand beside it, in
  one sentence or in one row; figures below a head like *EUR thousand* may be told in full. So are products, sums,
  differences, shares, times between two others and other units that the answer itself shows ("4 x 42 euros", "from 8:00
  to 20:00, that is 12 hours"), where the sentence most about it has one of the numbers and all its names; what it shows
  and comes to another number is called `contradicted`. An illustration ("half time would be 12.5 days") or a sum of
  numbers that the answer does not name is not worked out: such right numbers count as invented.
- **Of 120 right answers that work something out, each beside the same with one subtle fault, 21 fail (38 before), and
  of the faulty ones 92 (74 before)**: of the half that was kept aside 10 (16) and 43 (36). (`python -m
  tests.scorer.checks.worked_out`; written by one person before the rules, in six languages.) Of 22 wrong answers put
  against them, with the right factor on another row, period or base, 16 fail, 18 before: two more pass behind a number
  that stands in the sentence, but is of something else there. Of some 3,700 claims with two numbers or more of twelve
  labelled sets one number is let pass (in a claim that is not supported) and none is called wrong. Since a share of
  a sum, a sum of several and times of day count as worked out, too, 30 of 45 further such wrong answers pass (27
  before): that a right product stands on the wrong row is mostly not seen.
- A number of another item is seen in a sentence, or two much alike, that tell each its own ("a seat costs €29, a
  couchette €59"), in a table's row and in records with a name, and is called `contradicted`; not where they are put
  otherwise.
- Of a record only flags and opening hours are understood: what is so, not so or unknown, days and times. A list of
  which one item is invented, or a dish that only another place serves, is seen only as words that are missing.
- An answer with an unsupported or contradicted claim never passes: its probability is at most its worst claim's.
  One whose claims are each supported or partly supported can still fail, when many are in doubt.
- An answer is not compared when a passage is in another language and none is known to be in its own: `not_scoreable`,
  cross-lingual. Whether a question can be answered from the passages at all is not judged.
- Words in another case are one word in Russian and Ukrainian (names of 8 right answers of 8 were told as invented, now
  of 1), not in Polish, Czech, Finnish, Hungarian and Turkish: names there that the passages have in another case may be
  told as invented ("Kowalskiego" for "Kowalski").
- "Not" is read in Germanic and Romance languages, Polish, Czech, Hungarian, Russian, Ukrainian, Greek, Vietnamese,
  Indonesian, Arabic, Hebrew, Hindi, Turkish, Japanese, Chinese and Korean, where it is a word or an ending that can be
  told. Not read are Czech verbs with *ne-* but for the most common ones and without accents, Finnish *ei*, Indonesian
  *bukan*, Turkish *yok*, *-meyen*, *-meden* and *-mez* in a word that may be French (*vermez*), Japanese *ず*, and what
  has another verb or case beside it (*есть* and *нет*, *-abilir* and *-amaz*). In Romanian and from Czech on, but for
  Hungarian, a denial contradicts nothing where its sentence has several clauses or asks, or where either has a word
  for a bound, a condition or a day (before, later, more, only, if, Monday). Of 96 turned statements 8 pass (96 before),
  of 40 written after the rules 10 (40 before, `denied_unseen.txt`); of 240 harmless ones none is contradicted, of 56
  written after the rules two were, and none since.
- Thai, Lao, Khmer and Burmese are written without spaces, and nothing here tells their words apart: an answer with a
  claim in them is `not_scoreable`, by judge and every check that compares or counts words. Citations, numbers,
  quotations and language are checked. A refusal in them is not known as one, and owes a citation.
"""


def page(report: dict[str, Any]) -> str:
    """The whole page; `report`: what the fit wrote, as read from its file."""
    provenance, crossed = report["provenance"], report["cross_validation"]
    return TEXT.format(
        model=report["model"],
        date=provenance["date"],
        command=provenance["command"],
        aside=_table(report["kept_aside"]),
        crossed=_table(crossed),
        sets="; ".join(one["from"] for one in provenance["sets"]),
        counted="; ".join(provenance["words_counted_in_passages_of"]),
        strangers=crossed["strangers"]["n"],
        passed=crossed["strangers"]["passed"],
    )


def _table(report: dict[str, dict[str, Any]]) -> str:
    rows = [_row(name, line) for name, line in report.items() if name != "strangers"]
    return "\n".join([HEAD, *rows])


def _row(name: str, line: dict[str, Any]) -> str:
    share = f"{line['unsupported']:.1%}" if "unsupported" in line else ""
    figures = [_figure(line.get(one)) for one in ("auroc", "f1", "balanced_accuracy", "macro_f1", "ece")]
    return f"| {name} | {line['n']:,} | {share} | {' | '.join(figures)} |"


def _figure(figure: float | list[float] | None) -> str:
    if isinstance(figure, list):
        return f"{figure[0]:.3f} [{figure[1]:.3f}, {figure[2]:.3f}]"
    return "" if figure is None else f"{figure:.3f}"
