"""`course site`: the web edition, pages that are read before anything is installed.

    kept_runs       runs the instructor's notebook, and keeps what its cells show
    outputs         which outputs a page may show, as HTML
    wrong_answers   an honest wrong answer to each exercise, and what its check says
    pictures        out of the pages, into small files
    markdown        text as HTML, with formulas as MathML (mathematics), headings and links (links)
    pages           what a page is; lessons, documents and helpers give some, collect makes all
    words           what the site itself says, in each language
    searching       what a reader can find
    write           all pages into a folder

Pages show learners' notebooks, so no solution is ever in their text. They ask no other machine for anything.
"""
