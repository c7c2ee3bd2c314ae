"""Editions of the lessons in other languages: catalogs in translations/, notebooks built from them."""
